package org.keyline.gateway.simulator;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.simulator.ModelTable.RowKey;

/**
 * The model store's form of a statement, its parameters bound. Immutable.
 *
 * @param columns of a SELECT; of an INSERT that leaves the last cell of the key to the store,
 *     otherwise none; the names of USE and SWITCH, without dots
 * @param where the conditions, all of which a row must meet
 * @param descending whether a SELECT returns rows from the highest key down
 * @param limit the maximum number of rows of a SELECT
 * @param values of an INSERT's rows; the new value of an UPDATE
 * @param user of GRANT and REVOKE; of SET for isolation levels, the last word of one; the role of
 *     SET ROLE
 * @param opens whether a CALL leaves a transaction open and fails
 * @param moves whether a CALL changes to the other schema; it fails if it has a number
 * @param waits whether it waits for locked rows instead of failing at once
 * @param returns whether an INSERT returns the last cell of its row's key
 */
record ModelStatement(
        Kind kind,
        @Nullable ModelTable table,
        List<String> columns,
        List<Condition> where,
        boolean descending,
        int limit,
        List<Long> values,
        String user,
        boolean opens,
        boolean moves,
        boolean waits,
        boolean returns) {
    enum Kind {
        SELECT,
        INSERT,
        REPLACE,
        UPDATE,
        DELETE,
        TRUNCATE,
        ALTER,
        CALL,
        BEGIN,
        START,
        COMMIT,
        ROLLBACK,
        SET,
        USE,
        SWITCH,
        GRANT,
        REVOKE
    }

    /** A condition: the column has one of some values, or is above or below one. */
    record Condition(String column, String comparison, List<Long> values) {
        boolean holds(RowKey key, long value) {
            if (comparison.equals("OR")) {
                boolean listed = false;
                for (int i = 0; i < values.size(); i += 2) {
                    listed |= key.first() == values.get(i) && key.second() == values.get(i + 1);
                }
                return listed;
            }
            long cell = column.equals("v") ? value : key.cell(column);
            return switch (comparison) {
                case "<" -> cell < values.get(0);
                case "<=" -> cell <= values.get(0);
                case ">" -> cell > values.get(0);
                case ">=" -> cell >= values.get(0);
                default -> values.contains(cell);
            };
        }
    }

    private static final List<String> COMPARISONS = List.of("=", "<", ">");

    private static final Pattern TOKEN = Pattern.compile("\\w+|[^\\s\\w`]");

    /** Returns whether the statement applies to a row with a value. */
    boolean concerns(RowKey key, long value) {
        return key.table() == table && where.stream().allMatch(condition -> condition.holds(key, value));
    }

    /** Returns whether it is SET ROLE. */
    boolean setsRole() {
        return user.equals(ModelStore.READER) || user.equals("NONE");
    }

    /** Returns the rows of an INSERT by their keys; of two rows with one key, the last. */
    Map<RowKey, Long> rows() {
        boolean pair = ofTable() == ModelTable.PAIRS;
        int cells = ofTable().columns.size();
        Map<RowKey, Long> rows = new LinkedHashMap<>();
        for (int at = 0; at < values.size(); at += cells) {
            rows.put(new RowKey(ofTable(), values.get(at), pair ? values.get(at + 1) : 0), values.get(at + cells - 1));
        }
        return rows;
    }

    /** Returns whether it is an INSERT of one row with a generated key. */
    boolean isNumbered() {
        return kind == Kind.INSERT && !columns.isEmpty();
    }

    /** Returns whether two of an INSERT's rows have the same key. */
    boolean repeatsKey() {
        return !isNumbered() && rows().size() * ofTable().columns.size() < values.size();
    }

    ModelTable ofTable() {
        return Objects.requireNonNull(table, "a statement without a table: " + this);
    }

    static ModelStatement of(String sql, List<Long> parameters) {
        List<String> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(sql);
        int parameter = 0;
        while (matcher.find()) {
            String token = matcher.group();
            tokens.add(token.equals("?") ? Long.toString(parameters.get(parameter++)) : token);
        }
        boolean waits = tokens.size() < 2 || !tokens.get(1).equals("STATEMENT");
        if (!waits) {
            // SET STATEMENT … FOR, whose variables prevent waiting.
            tokens.subList(0, tokens.indexOf("FOR") + 1).clear();
        }
        Kind kind = Kind.valueOf(tokens.get(0).toUpperCase(Locale.ROOT));
        ModelTable table = null;
        for (ModelTable each : ModelTable.values()) {
            table = tokens.contains(each.table) ? each : table;
        }
        int where = tokens.indexOf("WHERE");
        int limit = tokens.indexOf("LIMIT");
        List<Condition> conditions = where < 0 ? List.of() : conditions(tokens, where + 1);
        List<String> columns = kind == Kind.SELECT && table != null ? columns(tokens, table) : List.of();
        if (kind == Kind.USE || kind == Kind.SWITCH) {
            columns =
                    tokens.stream().skip(1).filter(token -> !token.equals(".")).toList();
        }
        if (kind == Kind.INSERT) {
            columns = named(tokens);
            columns = table != null && columns.size() == table.columns.size() - 1 ? columns : List.of();
        }
        List<Long> values = switch (kind) {
            case INSERT, REPLACE -> cells(tokens, tokens.indexOf("VALUES"));
            case CALL -> numbers(tokens, tokens.indexOf("(") + 1);
            case UPDATE, SET -> numbers(tokens, tokens.indexOf("=") + 1);
            default -> List.of();
        };
        return new ModelStatement(
                kind,
                table,
                columns,
                conditions,
                tokens.contains("DESC"),
                limit < 0 ? Integer.MAX_VALUE : Integer.parseInt(tokens.get(limit + 1)),
                values,
                tokens.get(tokens.size() - 1),
                tokens.contains("opens"),
                tokens.contains("moves"),
                waits,
                tokens.contains("RETURNING"));
    }

    private static List<String> columns(List<String> tokens, ModelTable table) {
        List<String> listed = new ArrayList<>(tokens.subList(1, tokens.indexOf("FROM")));
        listed.remove(",");
        listed.remove(",");
        return listed.equals(List.of("*")) ? table.columns : listed;
    }

    /** Returns the columns that an INSERT names. */
    private static List<String> named(List<String> tokens) {
        int open = tokens.indexOf("(");
        List<String> named = new ArrayList<>(tokens.subList(open, Math.max(open, tokens.indexOf("VALUES"))));
        named.removeAll(List.of("(", ")", ","));
        return named;
    }

    private static List<Condition> conditions(List<String> tokens, int from) {
        List<Condition> conditions = new ArrayList<>();
        if (tokens.contains("OR")) {
            // A load of several rows of PAIRS, each by its two cells.
            conditions.add(new Condition("", "OR", cells(tokens, from)));
            return conditions;
        }
        int at = from;
        while (at < tokens.size()
                && !tokens.get(at).equals("ORDER")
                && !tokens.get(at).equals("LIMIT")) {
            String column = tokens.get(at);
            if (column.equals("(") || column.equals(")")) {
                // Parentheses around the conditions of a load on one column, joined by AND.
                at++;
            } else if (tokens.get(at + 1).equals("IN")) {
                List<Long> listed = numbers(tokens, at + 3);
                conditions.add(new Condition(column, "IN", listed));
                at += 3 + 2 * listed.size();
            } else if (COMPARISONS.contains(tokens.get(at + 1))) {
                boolean two = tokens.get(at + 2).equals("=");
                String comparison = tokens.get(at + 1) + (two ? "=" : "");
                at += two ? 3 : 2;
                conditions.add(new Condition(column, comparison, List.of(Long.parseLong(tokens.get(at)))));
                at++;
            } else {
                throw new Violation("not a condition that the model store knows: " + tokens);
            }
            if (at < tokens.size() && tokens.get(at).equals("AND")) {
                at++;
            }
        }
        return conditions;
    }

    /** Returns all numbers. */
    private static List<Long> cells(List<String> tokens, int from) {
        return tokens.subList(from, tokens.size()).stream()
                .filter(token -> Character.isDigit(token.charAt(0)))
                .map(Long::valueOf)
                .toList();
    }

    /** Returns the numbers of a comma-separated list. */
    private static List<Long> numbers(List<String> tokens, int from) {
        List<Long> numbers = new ArrayList<>();
        for (int at = from;
                at < tokens.size() && Character.isDigit(tokens.get(at).charAt(0));
                at += 2) {
            numbers.add(Long.parseLong(tokens.get(at)));
        }
        return numbers;
    }
}
