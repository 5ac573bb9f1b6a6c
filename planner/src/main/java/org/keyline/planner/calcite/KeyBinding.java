package org.keyline.planner.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.KeyBound;
import org.keyline.planner.KeyPart;
import org.keyline.planner.KeyRange;
import org.keyline.planner.TableSchema;

/** The ranges of keys to which a WHERE clause limits the rows. Confined to one thread. */
final class KeyBinding {
    private final int maxBoxes;
    /** For each key column, whether it has the same single value in all alternatives. */
    private final boolean[] constant;

    private final List<Integer> ones = new ArrayList<>();
    private List<KeyBox> boxes = new ArrayList<>();

    private KeyBinding(TableSchema table, int maxBoxes) {
        this.maxBoxes = maxBoxes;
        int columns = table.keyColumns().size();
        this.constant = new boolean[columns];
        boxes.add(KeyBox.open(columns));
    }

    /** @param prefixed whether the first key column must equal a value */
    static KeyBinding read(List<SqlNode> conjuncts, Scope scope, int maxBoxes, boolean prefixed) throws Refusal {
        KeyBinding binding = new KeyBinding(scope.table(), maxBoxes);
        binding.all(conjuncts, scope);
        binding.check(prefixed);
        return binding;
    }

    static KeyBinding none(Scope scope) {
        return new KeyBinding(scope.table(), 1);
    }

    /** Returns the number of leading key columns that equal a value in each alternative. */
    static int length(List<SqlNode> conjuncts, Scope scope, int maxBoxes) throws Refusal {
        KeyBinding binding = new KeyBinding(scope.table(), maxBoxes);
        binding.all(conjuncts, scope);
        return binding.boxes.stream().mapToInt(KeyBox::length).min().orElse(0);
    }

    static boolean takes(SqlNode comparison) {
        return switch (comparison.getKind()) {
            case EQUALS, IN, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> true;
            case BETWEEN ->
                ((SqlCall) comparison).getOperator() instanceof SqlBetweenOperator operator && !operator.isNegated();
            case AND, OR -> ((SqlCall) comparison).getOperandList().stream().allMatch(KeyBinding::takes);
            default -> false;
        };
    }

    private void all(List<SqlNode> conjuncts, Scope scope) throws Refusal {
        for (SqlNode condition : conjuncts) {
            condition(condition, scope);
        }
    }

    /** Returns the slots that must be the literal 1. */
    List<Integer> ones() {
        return ones;
    }

    /** Refuses the read if an alternative is not one contiguous range of keys. */
    private void check(boolean prefixed) throws Refusal {
        for (KeyBox box : boxes) {
            ForwardReason unfit = box.unfit(prefixed);
            if (unfit != null && unfit != ForwardReason.RANGE && !boxes.stream().allMatch(box::bindsLike)) {
                throw new Refusal(ForwardReason.DISJUNCTION);
            }
            if (unfit != null) {
                throw new Refusal(unfit);
            }
        }
    }

    List<KeyRange> ranges() {
        return boxes.stream().map(KeyBox::range).toList();
    }

    boolean atMostOneRow() {
        return boxes.size() == 1 && boxes.get(0).length() == constant.length;
    }

    boolean isConstant(int position) {
        return constant[position];
    }

    int constants() {
        int constants = 0;
        while (constants < constant.length && constant[constants]) {
            constants++;
        }
        return constants;
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
            case LESS_THAN -> compare((SqlCall) condition, false, false, scope);
            case LESS_THAN_OR_EQUAL -> compare((SqlCall) condition, false, true, scope);
            case GREATER_THAN -> compare((SqlCall) condition, true, false, scope);
            case GREATER_THAN_OR_EQUAL -> compare((SqlCall) condition, true, true, scope);
            case BETWEEN -> between((SqlCall) condition, scope);
            default -> throw new Refusal(ForwardReason.OTHER_CONDITION);
        }
    }

    private void either(SqlNode or, Scope scope) throws Refusal {
        List<KeyBox> alternatives = new ArrayList<>();
        for (SqlNode operand : Chain.operands(SqlKind.OR, or)) {
            KeyBinding alternative = new KeyBinding(scope.table(), maxBoxes);
            alternative.all(Chain.operands(SqlKind.AND, operand), scope);
            alternatives.addAll(alternative.boxes);
            ones.addAll(alternative.ones);
        }
        multiply(alternatives);
    }

    /** Reads a comparison of rows: (a, b) &gt; (1, 2) is a &gt; 1 or (a = 1 and b &gt; 2). */
    private void compare(SqlCall comparison, boolean above, boolean inclusive, Scope scope) throws Refusal {
        SqlNode left = comparison.operand(0);
        SqlNode right = comparison.operand(1);
        boolean turned = !hasColumns(left) && hasColumns(right);
        int[] positions = positions(turned ? right : left, scope);
        List<SqlNode> values = cells(turned ? left : right);
        boolean lower = above != turned;
        if (values.size() != positions.length) {
            throw new Refusal(ForwardReason.OTHER_CONDITION);
        }
        List<KeyBox> alternatives = new ArrayList<>();
        KeyBox alike = KeyBox.open(constant.length);
        for (int i = 0; i < positions.length; i++) {
            boolean last = i == positions.length - 1;
            KeyPart value = part(values.get(i));
            alternatives.add(alike.within(new KeyBound(positions[i], lower, inclusive && last, value)));
            alike = alike.equal(positions[i], value);
        }
        multiply(alternatives);
    }

    private void between(SqlCall between, Scope scope) throws Refusal {
        if (!(between.getOperator() instanceof SqlBetweenOperator operator)
                || operator.isNegated()
                || operator.flag != SqlBetweenOperator.Flag.ASYMMETRIC) {
            throw new Refusal(ForwardReason.OTHER_CONDITION);
        }
        int[] positions = positions(between.operand(0), scope);
        if (positions.length != 1) {
            throw new Refusal(ForwardReason.OTHER_CONDITION);
        }
        KeyBox within = KeyBox.open(constant.length)
                .within(new KeyBound(positions[0], true, true, part(between.operand(1))))
                .within(new KeyBound(positions[0], false, true, part(between.operand(2))));
        multiply(List.of(within));
    }

    private static boolean hasColumns(SqlNode side) {
        return side instanceof SqlIdentifier
                || (side.getKind() == SqlKind.ROW && ((SqlCall) side).operand(0) instanceof SqlIdentifier);
    }

    private void bind(SqlNode columns, List<? extends SqlNode> values, Scope scope) throws Refusal {
        int[] positions = positions(columns, scope);
        for (int position : positions) {
            constant[position] = values.size() == 1;
        }
        checkCount(values.size());
        List<KeyBox> alternatives = new ArrayList<>(values.size());
        for (SqlNode value : values) {
            List<SqlNode> cells = cells(value);
            if (cells.size() != positions.length) {
                throw new Refusal(ForwardReason.OTHER_CONDITION);
            }
            KeyBox next = KeyBox.open(constant.length);
            for (int i = 0; i < positions.length; i++) {
                next = next.equal(positions[i], part(cells.get(i)));
            }
            alternatives.add(next);
        }
        multiply(alternatives);
    }

    private void multiply(List<KeyBox> alternatives) throws Refusal {
        checkCount(alternatives.size());
        List<KeyBox> product = new ArrayList<>(boxes.size() * alternatives.size());
        for (KeyBox box : boxes) {
            for (KeyBox alternative : alternatives) {
                product.add(box.and(alternative));
            }
        }
        boxes = product;
    }

    private void checkCount(int alternatives) throws Refusal {
        if ((long) boxes.size() * alternatives > maxBoxes) {
            throw new Refusal(ForwardReason.TOO_MANY_KEYS);
        }
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

    private static KeyPart part(SqlNode node) throws Refusal {
        KeyPart value = Chain.value(node);
        if (value != null) {
            return value;
        }
        boolean isNull = node instanceof SqlLiteral literal && literal.getValue() == null;
        throw new Refusal(isNull ? ForwardReason.NULL_LITERAL : ForwardReason.VALUE_NOT_LITERAL);
    }
}
