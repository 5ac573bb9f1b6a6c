package org.keyline.planner.calcite;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Condition;
import org.keyline.planner.FilterReads;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.KeyRange;
import org.keyline.planner.OpaqueCondition;
import org.keyline.planner.statement.OpaqueConjunct;
import org.keyline.planner.statement.OpaqueForm;

/** A WHERE clause as ranges of the key and conditions on rows. Confined to one thread. */
final class WhereClause {
    /** Reasons why a conjunct cannot bind the key, but can be a condition on rows. */
    private static final Set<ForwardReason> UNFIT =
            Set.of(ForwardReason.KEY_PREFIX_UNBOUND, ForwardReason.RANGE, ForwardReason.KEY_BOUND_TWICE);

    private static final List<KeyRange> EVERYTHING = List.of(KeyRange.EVERYTHING);

    /** @param condition null unless the conjunct compares one column with values */
    private record Conjunct(SqlNode node, @Nullable Condition condition, int keyPosition) {
        boolean equates() {
            return condition != null && condition.equates();
        }

        int alternatives() {
            return condition == null ? 0 : condition.alternatives().size();
        }
    }

    private final KeyBinding binding;
    private final List<Condition> conditions;
    private final List<OpaqueCondition> opaque;
    private List<Integer> ones = List.of();

    private WhereClause(KeyBinding binding, List<Condition> conditions) {
        this(binding, conditions, List.of());
    }

    private WhereClause(KeyBinding binding, List<Condition> conditions, List<OpaqueCondition> opaque) {
        this.binding = binding;
        this.conditions = conditions;
        this.opaque = opaque;
    }

    /**
     * @param filters which conditions are allowed without a key prefix
     * @param ranged whether ranges of the key need no key prefix
     * @param form the conjuncts that only the store can evaluate
     */
    static WhereClause read(
            SqlNode where, Scope scope, int maxAlternatives, FilterReads filters, boolean ranged, OpaqueForm form)
            throws Refusal {
        List<Integer> ones = new ArrayList<>();
        List<SqlNode> conjuncts = new ArrayList<>();
        for (SqlNode node : Chain.operands(SqlKind.AND, where)) {
            if (form.conjuncts().containsKey(OpaqueReader.slots(node)) || !isTrue(node, ones)) {
                conjuncts.add(node);
            }
        }
        if (conjuncts.isEmpty()) {
            throw new Refusal(ForwardReason.NO_CONDITION);
        }
        boolean alone = filters != FilterReads.OFF;
        WhereClause clause = read(conjuncts, scope, maxAlternatives, alone, ranged, form);
        if (filters == FilterReads.EQUAL && clause.binding.ranges().equals(EVERYTHING) && !clause.isOfEqualValues()) {
            clause = read(conjuncts, scope, maxAlternatives, false, ranged, form);
        }
        clause.ones = ones;
        return clause;
    }

    /** @param ones receives the slots that must be 1 to make the conjunct true */
    private static boolean isTrue(SqlNode node, List<Integer> ones) {
        if (node instanceof SqlLiteral literal) {
            return Boolean.TRUE.equals(literal.getValue());
        }
        if (node instanceof SqlDynamicParam one) {
            return ones.add(one.getIndex());
        }
        boolean same = node.getKind() == SqlKind.EQUALS
                && ((SqlCall) node).getOperandList().stream().allMatch(SqlDynamicParam.class::isInstance);
        if (same) {
            ((SqlCall) node).getOperandList().forEach(side -> ones.add(((SqlDynamicParam) side).getIndex()));
        }
        return same;
    }

    private static WhereClause read(
            List<SqlNode> conjuncts, Scope scope, int maxAlternatives, boolean filters, boolean ranged, OpaqueForm form)
            throws Refusal {
        List<OpaqueCondition> opaque = new ArrayList<>();
        List<Conjunct> ofKey = new ArrayList<>();
        List<Condition> others = new ArrayList<>();
        boolean valueColumns = false;
        for (SqlNode node : conjuncts) {
            OpaqueConjunct left = form.conjuncts().get(OpaqueReader.slots(node));
            if (left != null) {
                opaque.add(OpaqueReader.read(left, scope));
                continue;
            }
            Condition condition = ConditionReader.read(node, scope, maxAlternatives);
            int position = condition == null ? -1 : scope.table().keyPosition(condition.column());
            if (condition != null && (position < 0 || !KeyBinding.takes(node))) {
                others.add(condition);
                valueColumns |= position < 0;
            } else {
                ofKey.add(new Conjunct(node, condition, position));
            }
        }
        if (!opaque.isEmpty()) {
            others.addAll(besideOpaque(ofKey, scope, filters));
            return new WhereClause(KeyBinding.none(scope), others, opaque);
        }
        if (ofKey.isEmpty() && filters) {
            return new WhereClause(KeyBinding.none(scope), others);
        }
        if (ofKey.isEmpty()) {
            throw new Refusal(valueColumns ? ForwardReason.VALUE_COLUMN_CONDITION : ForwardReason.OTHER_CONDITION);
        }
        try {
            // If the table also has filter lines, these answer reads with conditions but without a
            // key prefix. Lines that are ranges of keys do not answer such reads then.
            boolean prefixed = !ranged || (filters && !others.isEmpty());
            return new WhereClause(KeyBinding.read(nodes(ofKey), scope, maxAlternatives, prefixed), others);
        } catch (Refusal refusal) {
            if (!UNFIT.contains(refusal.reason())) {
                throw refusal;
            }
            return split(ofKey, others, scope, maxAlternatives, filters, refusal);
        }
    }

    /** Returns whether at least one condition is an equality and none compares by order. */
    private boolean isOfEqualValues() {
        return opaque.isEmpty()
                && conditions.stream().anyMatch(Condition::equates)
                && conditions.stream().noneMatch(Condition::byOrder);
    }

    static WhereClause none(Scope scope) {
        return new WhereClause(KeyBinding.none(scope), List.of());
    }

    /** Returns the conditions. Refuses a bound whole key, as a single row needs no filter line. */
    private static List<Condition> besideOpaque(List<Conjunct> ofKey, Scope scope, boolean filters) throws Refusal {
        Set<Integer> equal = new HashSet<>();
        List<Condition> conditions = new ArrayList<>();
        for (Conjunct each : ofKey) {
            if (each.condition == null) {
                throw new Refusal(ForwardReason.OTHER_CONDITION);
            }
            conditions.add(each.condition);
            if (each.equates()) {
                equal.add(each.keyPosition);
            }
        }
        if (!filters || equal.size() == scope.table().keyColumns().size()) {
            throw new Refusal(ForwardReason.OTHER_CONDITION);
        }
        return conditions;
    }

    /** Splits the conjuncts. Conjuncts that do not fit the key's order become conditions. */
    private static WhereClause split(
            List<Conjunct> ofKey,
            List<Condition> others,
            Scope scope,
            int maxAlternatives,
            boolean filters,
            Refusal unfit)
            throws Refusal {
        List<Conjunct> binding = new ArrayList<>();
        Map<Integer, Conjunct> equal = new HashMap<>();
        for (Conjunct each : ofKey) {
            if (each.condition == null) {
                binding.add(each);
            } else if (each.equates()) {
                equal.merge(each.keyPosition, each, (one, other) -> narrower(one, other));
            }
        }
        binding.addAll(equal.values());
        int length = KeyBinding.length(nodes(binding), scope, maxAlternatives);
        List<Condition> all = new ArrayList<>(others);
        if (length == 0) {
            for (Conjunct each : ofKey) {
                if (!filters || each.condition == null) {
                    throw unfit;
                }
                all.add(each.condition);
            }
            return new WhereClause(KeyBinding.none(scope), all);
        }
        List<Conjunct> onKey = new ArrayList<>();
        for (Conjunct each : ofKey) {
            boolean fits = each.condition == null
                    || (each.equates()
                            ? each.keyPosition < length && each.equals(equal.get(each.keyPosition))
                            : each.keyPosition <= length);
            if (fits) {
                onKey.add(each);
            } else {
                all.add(each.condition);
            }
        }
        return new WhereClause(KeyBinding.read(nodes(onKey), scope, maxAlternatives, true), all);
    }

    private static Conjunct narrower(Conjunct one, Conjunct other) {
        return Comparator.comparingInt(Conjunct::alternatives).compare(one, other) <= 0 ? one : other;
    }

    private static List<SqlNode> nodes(List<Conjunct> conjuncts) {
        return conjuncts.stream().map(Conjunct::node).toList();
    }

    /** Returns the slots that must be the literal 1. */
    List<Integer> ones() {
        return ones;
    }

    KeyBinding binding() {
        return binding;
    }

    List<Condition> conditions() {
        return conditions;
    }

    List<OpaqueCondition> opaque() {
        return opaque;
    }
}
