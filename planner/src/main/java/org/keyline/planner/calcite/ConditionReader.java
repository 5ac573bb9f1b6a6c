package org.keyline.planner.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Condition;
import org.keyline.planner.Condition.Comparison;
import org.keyline.planner.Condition.Operator;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.KeyPart;

/** Reads a conjunct that compares one column with values. Confined to one thread. */
final class ConditionReader {
    private final Scope scope;
    private final int maxAlternatives;
    private int column = -1;

    private ConditionReader(Scope scope, int maxAlternatives) {
        this.scope = scope;
        this.maxAlternatives = maxAlternatives;
    }

    /** Returns the condition of a conjunct; null if the conjunct is not such a comparison. */
    static @Nullable Condition read(SqlNode conjunct, Scope scope, int maxAlternatives) throws Refusal {
        ConditionReader reader = new ConditionReader(scope, maxAlternatives);
        List<List<Comparison>> alternatives = reader.alternatives(conjunct);
        return alternatives == null ? null : new Condition(reader.column, alternatives);
    }

    private @Nullable List<List<Comparison>> alternatives(SqlNode node) throws Refusal {
        SqlKind kind = node.getKind();
        if (kind == SqlKind.OR || kind == SqlKind.AND) {
            List<List<Comparison>> all = kind == SqlKind.OR ? List.of() : List.of(List.of());
            for (SqlNode operand : Chain.operands(kind, node)) {
                List<List<Comparison>> next = alternatives(operand);
                if (next == null) {
                    return null;
                }
                all = kind == SqlKind.OR ? either(all, next) : both(all, next);
            }
            return all;
        }
        if (!(node instanceof SqlCall call)) {
            return null;
        }
        return switch (kind) {
            case EQUALS -> compare(call, Operator.EQUAL, Operator.EQUAL);
            case NOT_EQUALS -> compare(call, Operator.NOT_EQUAL, Operator.NOT_EQUAL);
            case LESS_THAN -> compare(call, Operator.BELOW, Operator.ABOVE);
            case LESS_THAN_OR_EQUAL -> compare(call, Operator.AT_MOST, Operator.AT_LEAST);
            case GREATER_THAN -> compare(call, Operator.ABOVE, Operator.BELOW);
            case GREATER_THAN_OR_EQUAL -> compare(call, Operator.AT_LEAST, Operator.AT_MOST);
            case IN, NOT_IN -> in(call, kind == SqlKind.IN);
            case BETWEEN -> between(call);
            case IS_NULL, IS_NOT_NULL -> isNull(call, kind == SqlKind.IS_NULL);
            default -> null;
        };
    }

    private List<List<Comparison>> either(List<List<Comparison>> one, List<List<Comparison>> other) throws Refusal {
        check((long) one.size() + other.size());
        List<List<Comparison>> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    private List<List<Comparison>> both(List<List<Comparison>> one, List<List<Comparison>> other) throws Refusal {
        check((long) one.size() * other.size());
        List<List<Comparison>> all = new ArrayList<>();
        for (List<Comparison> left : one) {
            for (List<Comparison> right : other) {
                List<Comparison> joined = new ArrayList<>(left);
                joined.addAll(right);
                all.add(joined);
            }
        }
        return all;
    }

    private void check(long alternatives) throws Refusal {
        if (alternatives > maxAlternatives) {
            throw new Refusal(ForwardReason.TOO_MANY_KEYS);
        }
    }

    /** @param turned the operator to use if the value is on the left side */
    private @Nullable List<List<Comparison>> compare(SqlCall call, Operator operator, Operator turned) throws Refusal {
        boolean first = isColumn(call.operand(0));
        KeyPart value = Chain.value(call.operand(first ? 1 : 0));
        return value != null && isOn(call.operand(first ? 0 : 1))
                ? List.of(List.of(new Comparison(first ? operator : turned, value)))
                : null;
    }

    private @Nullable List<List<Comparison>> in(SqlCall in, boolean found) throws Refusal {
        if (!(in.operand(1) instanceof SqlNodeList list)) {
            throw new Refusal(ForwardReason.SUBQUERY);
        }
        if (!isOn(in.operand(0))) {
            return null;
        }
        check(list.size());
        List<Comparison> each = new ArrayList<>(list.size());
        for (SqlNode item : list) {
            KeyPart value = Chain.value(item);
            if (value == null) {
                return null;
            }
            each.add(new Comparison(found ? Operator.EQUAL : Operator.NOT_EQUAL, value));
        }
        return found ? each.stream().map(List::of).toList() : List.of(each);
    }

    private @Nullable List<List<Comparison>> between(SqlCall between) throws Refusal {
        boolean known = between.getOperator() instanceof SqlBetweenOperator operator
                && operator.flag == SqlBetweenOperator.Flag.ASYMMETRIC;
        KeyPart low = Chain.value(between.operand(1));
        KeyPart high = Chain.value(between.operand(2));
        if (!known || low == null || high == null || !isOn(between.operand(0))) {
            return null;
        }
        return ((SqlBetweenOperator) between.getOperator()).isNegated()
                ? List.of(List.of(new Comparison(Operator.BELOW, low)), List.of(new Comparison(Operator.ABOVE, high)))
                : List.of(List.of(new Comparison(Operator.AT_LEAST, low), new Comparison(Operator.AT_MOST, high)));
    }

    /**
     * Reads IS [NOT] NULL. Returns null for IS NULL on a NOT NULL column, because it can also find
     * zero dates and the last AUTO_INCREMENT value.
     */
    private @Nullable List<List<Comparison>> isNull(SqlCall is, boolean found) throws Refusal {
        if (!isOn(is.operand(0))
                || (found && !scope.table().columns().get(column).nullable())) {
            return null;
        }
        return List.of(List.of(new Comparison(found ? Operator.NULL : Operator.NOT_NULL, null)));
    }

    private static boolean isColumn(SqlNode node) {
        return node instanceof SqlIdentifier name && !name.isStar();
    }

    /** Returns whether the node is a column, and the only column of the conjunct so far. */
    private boolean isOn(SqlNode node) throws Refusal {
        if (!(node instanceof SqlIdentifier name) || name.isStar()) {
            return false;
        }
        int ordinal = scope.ordinal(name);
        if (scope.table().columns().get(ordinal).computed()) {
            throw new Refusal(ForwardReason.COMPUTED_COLUMN);
        }
        boolean same = column < 0 || column == ordinal;
        column = ordinal;
        return same;
    }
}
