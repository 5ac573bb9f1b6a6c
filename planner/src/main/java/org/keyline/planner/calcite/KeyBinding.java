package org.keyline.planner.calcite;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.KeyPart;
import org.keyline.planner.TableSchema;

/** The key tuples that a WHERE clause binds. Confined to one thread. */
final class KeyBinding {
    private final int maxTuples;
    /** For each key column whether it is bound, and whether to one value. */
    private final boolean[] bound;

    private final boolean[] constant;
    private final List<Integer> ones = new ArrayList<>();
    /** Tuples over all key columns; null where a column is not bound. */
    private List<@Nullable KeyPart[]> tuples = new ArrayList<>();

    private KeyBinding(TableSchema table, int maxTuples) {
        this.maxTuples = maxTuples;
        int columns = table.keyColumns().size();
        this.bound = new boolean[columns];
        this.constant = new boolean[columns];
        tuples.add(new KeyPart[columns]);
    }

    static KeyBinding read(SqlNode where, Scope scope, int maxTuples) throws Refusal {
        KeyBinding binding = new KeyBinding(scope.table(), maxTuples);
        binding.all(where, scope);
        binding.checkPrefix();
        return binding;
    }

    private void all(SqlNode where, Scope scope) throws Refusal {
        for (SqlNode condition : operands(SqlKind.AND, where)) {
            condition(condition, scope);
        }
    }

    /** What a chain of ANDs, or of ORs, is made of, in the order written. */
    private static List<SqlNode> operands(SqlKind chain, SqlNode node) {
        List<SqlNode> operands = new ArrayList<>();
        Deque<SqlNode> left = new ArrayDeque<>();
        left.push(node);
        while (!left.isEmpty()) {
            SqlNode next = left.pop();
            if (next.getKind() == chain) {
                List<SqlNode> parts = ((SqlCall) next).getOperandList();
                for (int i = parts.size() - 1; i >= 0; i--) {
                    left.push(parts.get(i));
                }
            } else {
                operands.add(next);
            }
        }
        return operands;
    }

    /** Slots that have to hold a 1. */
    List<Integer> ones() {
        return ones;
    }

    /** The number of bound columns. */
    private int length() {
        int length = 0;
        while (length < bound.length && bound[length]) {
            length++;
        }
        return length;
    }

    private void checkPrefix() throws Refusal {
        for (int i = length(); i < bound.length; i++) {
            if (bound[i]) {
                throw new Refusal(ForwardReason.KEY_PREFIX_UNBOUND);
            }
        }
        if (length() == 0) {
            throw new Refusal(ForwardReason.NO_CONDITION);
        }
    }

    /** The bound tuples, each as long as the bound prefix. */
    List<List<KeyPart>> tuples() {
        int length = length();
        List<List<KeyPart>> prefixes = new ArrayList<>(tuples.size());
        for (@Nullable KeyPart[] tuple : tuples) {
            List<KeyPart> prefix = new ArrayList<>(length);
            for (int i = 0; i < length; i++) {
                KeyPart part = tuple[i];
                if (part != null) {
                    prefix.add(part);
                }
            }
            prefixes.add(prefix);
        }
        return prefixes;
    }

    /** Whether all key columns are bound to one value each. */
    boolean atMostOneRow() {
        return tuples.size() == 1 && length() == bound.length;
    }

    /** Whether the key column at the position has the same value in all rows. */
    boolean isConstant(int position) {
        return constant[position];
    }

    private void condition(SqlNode condition, Scope scope) throws Refusal {
        switch (condition.getKind()) {
            case EQUALS -> {
                SqlNode left = ((SqlCall) condition).operand(0);
                SqlNode right = ((SqlCall) condition).operand(1);
                if (left instanceof SqlDynamicParam one && right instanceof SqlDynamicParam same) {
                    ones.add(one.getIndex());
                    ones.add(same.getIndex());
                    return;
                }
                boolean turned = !hasColumns(left) && hasColumns(right);
                bind(turned ? right : left, List.of(turned ? left : right), scope);
            }
            case IN -> {
                SqlNode right = ((SqlCall) condition).operand(1);
                if (!(right instanceof SqlNodeList values)) {
                    throw new Refusal(ForwardReason.SUBQUERY);
                }
                bind(((SqlCall) condition).operand(0), values.getList(), scope);
            }
            case OR -> either(condition, scope);
            case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL, BETWEEN ->
                throw new Refusal(ForwardReason.RANGE);
            default -> throw new Refusal(ForwardReason.OTHER_CONDITION);
        }
    }

    /** Alternatives that bind the same columns, each to its own values. */
    private void either(SqlNode or, Scope scope) throws Refusal {
        List<@Nullable KeyPart[]> alternatives = new ArrayList<>();
        boolean[] common = null;
        for (SqlNode operand : operands(SqlKind.OR, or)) {
            KeyBinding alternative = new KeyBinding(scope.table(), maxTuples);
            alternative.all(operand, scope);
            if (common != null && !Arrays.equals(common, alternative.bound)) {
                throw new Refusal(ForwardReason.DISJUNCTION);
            }
            common = alternative.bound;
            alternatives.addAll(alternative.tuples);
            ones.addAll(alternative.ones);
        }
        for (int i = 0; common != null && i < common.length; i++) {
            if (common[i] && bound[i]) {
                throw new Refusal(ForwardReason.KEY_BOUND_TWICE);
            }
            bound[i] |= common[i];
        }
        multiply(alternatives);
    }

    private static boolean hasColumns(SqlNode side) {
        return side instanceof SqlIdentifier
                || (side.getKind() == SqlKind.ROW && ((SqlCall) side).operand(0) instanceof SqlIdentifier);
    }

    /** Binds one column, or a row of columns, to each of the values in turn. */
    private void bind(SqlNode columns, List<? extends SqlNode> values, Scope scope) throws Refusal {
        int[] positions = positions(columns, scope);
        for (int position : positions) {
            if (bound[position]) {
                throw new Refusal(ForwardReason.KEY_BOUND_TWICE);
            }
            bound[position] = true;
            constant[position] = values.size() == 1;
        }
        if ((long) tuples.size() * values.size() > maxTuples) {
            throw new Refusal(ForwardReason.TOO_MANY_KEYS);
        }
        List<@Nullable KeyPart[]> alternatives = new ArrayList<>(values.size());
        for (SqlNode value : values) {
            @Nullable KeyPart[] next = new KeyPart[bound.length];
            List<SqlNode> cells = cells(value);
            if (cells.size() != positions.length) {
                throw new Refusal(ForwardReason.OTHER_CONDITION);
            }
            for (int i = 0; i < positions.length; i++) {
                next[positions[i]] = part(cells.get(i));
            }
            alternatives.add(next);
        }
        multiply(alternatives);
    }

    /** Every tuple with every alternative, which bind other columns. */
    private void multiply(List<@Nullable KeyPart[]> alternatives) throws Refusal {
        if ((long) tuples.size() * alternatives.size() > maxTuples) {
            throw new Refusal(ForwardReason.TOO_MANY_KEYS);
        }
        List<@Nullable KeyPart[]> product = new ArrayList<>(tuples.size() * alternatives.size());
        for (@Nullable KeyPart[] tuple : tuples) {
            for (@Nullable KeyPart[] alternative : alternatives) {
                @Nullable KeyPart[] next = Arrays.copyOf(tuple, tuple.length);
                for (int i = 0; i < next.length; i++) {
                    next[i] = alternative[i] != null ? alternative[i] : next[i];
                }
                product.add(next);
            }
        }
        tuples = product;
    }

    private int[] positions(SqlNode columns, Scope scope) throws Refusal {
        List<SqlNode> cells = cells(columns);
        int[] positions = new int[cells.size()];
        for (int i = 0; i < positions.length; i++) {
            if (!(cells.get(i) instanceof SqlIdentifier column) || column.isStar()) {
                throw new Refusal(ForwardReason.OTHER_CONDITION);
            }
            positions[i] = scope.keyPosition(column);
        }
        return positions;
    }

    private static List<SqlNode> cells(SqlNode node) {
        return node.getKind() == SqlKind.ROW ? ((SqlCall) node).getOperandList() : List.of(node);
    }

    private static KeyPart part(SqlNode value) throws Refusal {
        if (value instanceof SqlDynamicParam parameter) {
            return KeyPart.of(parameter.getIndex());
        }
        if (value.getKind() == SqlKind.MINUS_PREFIX
                && ((SqlCall) value).operand(0) instanceof SqlDynamicParam parameter) {
            return new KeyPart(parameter.getIndex(), true);
        }
        boolean isNull = value instanceof SqlLiteral literal && literal.getValue() == null;
        throw new Refusal(isNull ? ForwardReason.NULL_LITERAL : ForwardReason.VALUE_NOT_LITERAL);
    }
}
