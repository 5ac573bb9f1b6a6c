package org.keyline.planner;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.Collectors;
import org.keyline.planner.calcite.PointReadMatcher;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.statement.StatementClassifier;

/** Plans of texts with the shared catalog, and plans as texts. */
public final class Plans {
    public static final Planner PLANNER = new Planner(List.of(new StatementClassifier(), new PointReadMatcher()));

    /** All tables have filter lines. */
    private static final Planner FILTERING = new Planner(
            List.of(new StatementClassifier(), new PointReadMatcher(table -> FilterReads.ALL, table -> false)));

    /** The lines of all tables are ranges of keys. */
    private static final Planner RANGED = new Planner(
            List.of(new StatementClassifier(), new PointReadMatcher(table -> FilterReads.OFF, table -> true)));

    private Plans() {}

    public static Digester digest(String sql) {
        return digest(sql, SqlMode.DEFAULT);
    }

    public static Digester digest(String sql, SqlMode mode) {
        Digester digester = new Digester();
        byte[] bytes = sql.getBytes(UTF_8);
        digester.digest(bytes, 0, bytes.length, mode);
        return digester;
    }

    /** Returns the plan in schema {@code d}. */
    public static Plan plan(String sql) {
        return PLANNER.plan(digest(sql), "d", TestCatalog.shared()).plan();
    }

    /** Returns the plan in schema {@code d} if reads may have conditions alone. */
    public static Plan planWithFilters(String sql) {
        return FILTERING.plan(digest(sql), "d", TestCatalog.shared()).plan();
    }

    /** Returns the plan in schema {@code d} if ranges of the key need no key prefix. */
    public static Plan planOfRanges(String sql) {
        return RANGED.plan(digest(sql), "d", TestCatalog.shared()).plan();
    }

    public static ForwardReason reason(String sql) {
        return reason(sql, plan(sql));
    }

    public static ForwardReason reason(String sql, Plan plan) {
        if (plan instanceof Forward forward) {
            return forward.reason();
        }
        throw new AssertionError(sql + ": " + text(plan) + " (expected: a Forward)");
    }

    /**
     * Returns a plan in one line: {@code c (0,1) (0,-2) -> 3,4 ASC limit 5 offset 6}, or
     * {@code INSERT c (0,1)}. After a tuple are its bounds, each by its position in the key:
     * {@code c (0)[1>2]}. Conditions follow by ordinal: {@code c (0) 3: ABOVE 1}.
     */
    public static String text(Plan plan) {
        if (plan instanceof PointRead read) {
            String order = read.order() == Order.NONE ? "" : " " + read.order();
            KeyPart limit = read.limit();
            KeyPart offset = read.offset();
            return read.table().name().table() + ranges(read.ranges()) + conditions(read.conditions())
                    + opaque(read.opaque())
                    + " -> "
                    + read.projection().stream().map(String::valueOf).collect(Collectors.joining(","))
                    + order
                    + (limit == null ? "" : " limit " + part(limit))
                    + (offset == null ? "" : " offset " + part(offset))
                    + (read.answer() == PointRead.Answer.ROWS ? "" : " " + read.answer())
                    + (read.functions().isEmpty() ? "" : " " + read.functions())
                    + (read.ones().isEmpty() ? "" : " ones " + read.ones())
                    + (read.constants().isEmpty() ? "" : " constants " + read.constants());
        }
        Forward forward = (Forward) plan;
        return forward.kind() + " " + text(forward.effect()) + (forward.readsDiagnostics() ? " diagnostics" : "");
    }

    public static String text(Effect effect) {
        if (effect instanceof Effect.Rows rows) {
            return rows.table().name().table() + tuples(rows.prefixes());
        }
        if (effect instanceof Effect.Tables tables) {
            return tables.tables().stream().map(TableName::toString).collect(Collectors.joining("+"))
                    + (tables.ifAbsent() ? " if absent" : "");
        }
        if (effect instanceof Effect.StoredCode) {
            return "code";
        }
        return effect instanceof Effect.None ? "nothing" : "everything";
    }

    private static String ranges(List<KeyRange> ranges) {
        return ranges.stream()
                .map(range -> tuples(List.of(range.tuple()))
                        + (range.bounds().isEmpty()
                                ? ""
                                : range.bounds().stream().map(Plans::bound).collect(Collectors.joining(",", "[", "]"))))
                .collect(Collectors.joining());
    }

    private static String conditions(List<Condition> conditions) {
        return conditions.stream()
                .map(condition -> " " + condition.column() + ": "
                        + condition.alternatives().stream()
                                .map(all -> all.stream().map(Plans::comparison).collect(Collectors.joining(" and ")))
                                .collect(Collectors.joining(" or ")))
                .collect(Collectors.joining());
    }

    private static String opaque(List<OpaqueCondition> conditions) {
        StringBuilder text = new StringBuilder();
        for (OpaqueCondition condition : conditions) {
            text.append(" {").append(condition.texts().get(0));
            for (int i = 0; i < condition.values().size(); i++) {
                text.append(condition.values().get(i).slot())
                        .append(condition.values().get(i).text() ? "t" : "n")
                        .append(condition.texts().get(i + 1));
            }
            text.append('}');
        }
        return text.toString();
    }

    private static String comparison(Condition.Comparison comparison) {
        KeyPart value = comparison.value();
        return comparison.operator() + (value == null ? "" : " " + part(value));
    }

    private static String bound(KeyBound bound) {
        return bound.position() + (bound.lower() ? ">" : "<") + (bound.inclusive() ? "=" : "") + part(bound.value());
    }

    private static String tuples(List<List<KeyPart>> tuples) {
        return tuples.stream()
                .map(tuple -> tuple.stream().map(Plans::part).collect(Collectors.joining(",", " (", ")")))
                .collect(Collectors.joining());
    }

    private static String part(KeyPart part) {
        return (part.negated() ? "-" : "") + part.slot();
    }
}
