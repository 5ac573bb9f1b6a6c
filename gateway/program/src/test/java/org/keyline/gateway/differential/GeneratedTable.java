package org.keyline.gateway.differential;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.client.StatementArguments;

/** A table, its rows, and point reads of it, all generated from one seed. */
final class GeneratedTable {
    /**
     * A read.
     *
     * @param sql with placeholders if it is prepared
     * @param arguments for the placeholders; null for the text protocol
     * @param bound the argument values, for failure messages
     * @param ordered whether the order of its rows is fixed
     */
    record Question(String sql, @Nullable StatementArguments arguments, List<String> bound, boolean ordered) {}

    /** A value, and how a statement passes it. */
    private record Given(String literal, int type, String text, boolean isNull) {}

    private static final int MAX_KEY_COLUMNS = 4;
    private static final int MAX_VALUE_COLUMNS = 6;
    private static final int MAX_ROWS = 40;
    /** Maximum length of a key's cell, for stores that limit keys. */
    private static final int MAX_KEY_TEXT = 100;

    private static final String[] PATTERNS = {"a%", "%a%", "A_", "%ä%", "", "%1%"};

    private static final String[] COMPARISONS = {" < ", " <= ", " > ", " >= "};

    private final Random random;
    private final String name;
    private final List<GeneratedType> types = new ArrayList<>();
    private final int keys;
    private final List<List<@Nullable String>> rows = new ArrayList<>();
    private final List<String> described = new ArrayList<>();
    private final boolean ranged;
    private final boolean primary;
    /** The conditions of the last read by conditions alone; the next read may add to them. */
    private List<String> within = new ArrayList<>();

    /** Generates a table of the embedded store. */
    GeneratedTable(long seed, String name, boolean ranged) {
        this(seed, name, ranged, false);
    }

    /**
     * @param ranged whether its lines are ranges of keys, which scans read
     * @param primary whether it has MySQL's types and a PRIMARY KEY, instead of Doris's types and a
     *     UNIQUE KEY
     */
    GeneratedTable(long seed, String name, boolean ranged, boolean primary) {
        this.random = new Random(seed);
        this.name = name;
        this.ranged = ranged;
        this.primary = primary;
        GeneratedType[] all = Arrays.stream(GeneratedType.values())
                .filter(type -> !primary || type.isOfMySql())
                .toArray(GeneratedType[]::new);
        keys = 1 + random.nextInt(MAX_KEY_COLUMNS);
        while (types.size() < keys) {
            GeneratedType type = all[random.nextInt(all.length)];
            if (type.key()) {
                types.add(type);
            }
        }
        int values = 1 + random.nextInt(MAX_VALUE_COLUMNS);
        for (int i = 0; i < values; i++) {
            types.add(all[random.nextInt(all.length)]);
        }
        Map<List<@Nullable String>, List<@Nullable String>> byKey = new LinkedHashMap<>();
        int count = random.nextInt(MAX_ROWS);
        for (int i = 0; i < count; i++) {
            List<@Nullable String> row = new ArrayList<>();
            for (int c = 0; c < types.size(); c++) {
                boolean isNull = random.nextInt(c < keys ? 12 : 5) == 0 && !(primary && c < keys);
                String cell = isNull ? null : types.get(c).value(random);
                row.add(
                        cell != null && primary && c < keys && cell.length() > MAX_KEY_TEXT
                                ? cell.substring(0, MAX_KEY_TEXT)
                                : cell);
            }
            byKey.put(new ArrayList<>(row.subList(0, keys)), row);
        }
        rows.addAll(byKey.values());
    }

    int keyColumns() {
        return keys;
    }

    String create() {
        StringJoiner columns = new StringJoiner(", ");
        StringJoiner key = new StringJoiner(", ");
        for (int i = 0; i < types.size(); i++) {
            boolean limited = primary && i < keys && types.get(i) == GeneratedType.VARCHAR;
            columns.add("`c" + i + "` "
                    + (limited ? "VARCHAR(" + MAX_KEY_TEXT + ")" : types.get(i).ddl())
                    + (primary && i < keys ? " NOT NULL" : ""));
            if (i < keys) {
                key.add("`c" + i + "`");
            }
        }
        if (primary) {
            return "CREATE TABLE " + name + " (" + columns + ", PRIMARY KEY (" + key + "))";
        }
        return "CREATE TABLE " + name + " (" + columns + ") ENGINE=OLAP UNIQUE KEY(" + key
                + ") DISTRIBUTED BY HASH(`c0`) BUCKETS 4 PROPERTIES(\"replication_num\" = \"1\",)";
    }

    /** One INSERT of all rows; null if there are none. */
    @Nullable
    String insert() {
        if (rows.isEmpty()) {
            return null;
        }
        StringJoiner values = new StringJoiner(", ");
        for (List<@Nullable String> row : rows) {
            StringJoiner cells = new StringJoiner(", ", "(", ")");
            for (int i = 0; i < row.size(); i++) {
                String cell = row.get(i);
                cells.add(cell == null ? "NULL" : types.get(i).literal(cell));
            }
            values.add(cells.toString());
        }
        // Keys that differ here may be equal in a store that ignores case.
        return (primary ? "INSERT IGNORE INTO " : "INSERT INTO ") + name + " VALUES " + values;
    }

    Question question(boolean prepared) {
        described.clear();
        StatementArguments arguments = prepared ? new StatementArguments() : null;
        if (!rows.isEmpty() && random.nextInt(6) == 0) {
            return filter(arguments);
        }
        if (ranged && !rows.isEmpty() && random.nextInt(2) == 0) {
            return scan(arguments);
        }
        if (keys > 1 && !rows.isEmpty() && random.nextInt(3) == 0) {
            return range(arguments);
        }
        int bound = random.nextInt(4) == 0 ? 1 + random.nextInt(keys) : keys;
        int in = random.nextInt(4) == 0 ? random.nextInt(bound) : -1;
        StringJoiner where = new StringJoiner(" AND ");
        List<@Nullable String> row =
                rows.isEmpty() || random.nextInt(4) == 0 ? null : rows.get(random.nextInt(rows.size()));
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < bound; i++) {
            order.add(i);
        }
        if (random.nextBoolean()) {
            java.util.Collections.shuffle(order, random);
        }
        // Placeholders are numbered in the order of the text.
        for (int i : order) {
            if (i == in) {
                StringJoiner list = new StringJoiner(", ", "c" + i + " IN (", ")");
                int count = 1 + random.nextInt(5);
                for (int n = 0; n < count; n++) {
                    list.add(write(given(i, n == 0 ? row : randomRow()), arguments));
                }
                where.add(list.toString());
            } else {
                String value = write(given(i, row), arguments);
                where.add(random.nextInt(5) == 0 ? value + " = c" + i : "`c" + i + "` = " + value);
            }
        }
        conditions(where, arguments);
        boolean single = bound == keys && in < 0;
        String tail = "";
        boolean ordered = single;
        if (!single && random.nextBoolean()) {
            String direction = random.nextBoolean() ? "" : " DESC";
            StringJoiner by = new StringJoiner(", ", " ORDER BY ", "");
            for (int i = in >= 0 ? in : bound; i < keys; i++) {
                by.add("c" + i + direction);
            }
            if (bound < keys || in >= 0) {
                tail = by.toString();
                ordered = true;
            }
            if (ordered && random.nextBoolean()) {
                tail += " LIMIT " + (random.nextInt(8) == 0 ? "18446744073709551615" : random.nextInt(5))
                        + (random.nextBoolean() ? " OFFSET " + random.nextInt(3) : "");
            }
        } else if (single && random.nextInt(6) == 0) {
            tail = " LIMIT " + (1 + random.nextInt(3));
        }
        boolean one = single && tail.isEmpty();
        return new Question(
                formed(projection(), " FROM " + name + " WHERE ", where.toString(), tail, one),
                arguments,
                List.copyOf(described),
                ordered);
    }

    /** Reads rows of an existing prefix, within bounds on the next column. */
    private Question range(@Nullable StatementArguments arguments) {
        List<@Nullable String> row = rows.get(random.nextInt(rows.size()));
        int at = 1 + random.nextInt(keys - 1);
        StringJoiner where = new StringJoiner(" AND ");
        for (int i = 0; i < at; i++) {
            where.add("c" + i + " = " + write(given(i, row), arguments));
        }
        bounds(where, at, row, arguments);
        conditions(where, arguments);
        String direction = random.nextBoolean() ? "" : " DESC";
        if (random.nextInt(4) == 0) {
            return distinct(where.toString(), at, direction, arguments);
        }
        String by = by(at, keys, direction);
        if (random.nextInt(4) == 0) {
            StringJoiner aggregates = new StringJoiner(", ");
            for (int count = 1 + random.nextInt(3); count > 0; count--) {
                String function = random.nextBoolean() ? "MAX" : random.nextBoolean() ? "min" : "COUNT";
                int column = function.equals("COUNT") ? random.nextInt(types.size()) : at;
                aggregates.add(function + "(c" + column + ")" + (random.nextBoolean() ? "" : " AS x" + count));
            }
            String sql = "SELECT " + aggregates + " FROM " + name + " WHERE " + where;
            return new Question(sql, arguments, List.copyOf(described), true);
        }
        return formed(where.toString(), by, arguments);
    }

    /** Reads rows in key order from a random position, or all of them. */
    private Question scan(@Nullable StatementArguments arguments) {
        StringJoiner where = new StringJoiner(" AND ");
        String direction = random.nextBoolean() ? "" : " DESC";
        if (random.nextInt(6) == 0) {
            String all = switch (random.nextInt(4)) {
                case 0 -> "SELECT COUNT(*) FROM " + name;
                case 1 -> "SELECT DISTINCT c0 FROM " + name + by(0, 1, direction);
                default ->
                    "SELECT " + projection() + " FROM " + name + by(0, keys, direction) + " LIMIT "
                            + (1 + random.nextInt(MAX_ROWS));
            };
            return new Question(all, arguments, List.of(), true);
        }
        bounds(where, 0, rows.get(random.nextInt(rows.size())), arguments);
        conditions(where, arguments);
        return random.nextInt(4) == 0
                ? distinct(where.toString(), 0, direction, arguments)
                : formed(where.toString(), by(0, keys, direction), arguments);
    }

    /** Reads rows by conditions on any columns; often those of the last such read and one more. */
    private Question filter(@Nullable StatementArguments arguments) {
        if (arguments != null || within.size() > 2 || random.nextInt(3) == 0) {
            within = new ArrayList<>();
        }
        within.add(condition(random.nextInt(types.size()), arguments));
        // Placeholders are numbered in the order of the text.
        String where = String.join(" AND ", within);
        if (arguments != null) {
            within = new ArrayList<>();
        } else {
            java.util.Collections.shuffle(within, random);
        }
        String direction = random.nextBoolean() ? "" : " DESC";
        return random.nextInt(4) == 0
                ? distinct(where, 0, direction, arguments)
                : formed(where, by(0, keys, direction), arguments);
    }

    /** Adds bounds on one key column, or on two consecutive ones. */
    private void bounds(
            StringJoiner where, int at, List<@Nullable String> row, @Nullable StatementArguments arguments) {
        switch (random.nextInt(at + 1 < keys ? 6 : 4)) {
            case 0 -> where.add("c" + at + " BETWEEN " + other(at, arguments) + " AND " + other(at, arguments));
            case 1 -> where.add(comparison(at, arguments)).add(comparison(at, arguments));
            case 2, 3 -> where.add(comparison(at, arguments));
            case 4 -> {
                String beyond = random.nextBoolean() ? " < " : " > ";
                where.add("(c" + at + beyond + write(given(at, row), arguments) + " OR (c" + at + " = "
                        + write(given(at, row), arguments) + " AND c" + (at + 1) + beyond
                        + other(at + 1, arguments) + "))");
            }
            default ->
                where.add("(c" + at + ", c" + (at + 1) + ")" + COMPARISONS[random.nextInt(COMPARISONS.length)] + "("
                        + write(given(at, row), arguments) + ", " + other(at + 1, arguments) + ")");
        }
    }

    private static String by(int from, int to, String direction) {
        StringJoiner by = new StringJoiner(", ", " ORDER BY ", "");
        for (int i = from; i < to; i++) {
            by.add("c" + i + direction);
        }
        return by.toString();
    }

    /** Reads the distinct values of the first key columns from an index on. */
    private Question distinct(String where, int from, String direction, @Nullable StatementArguments arguments) {
        int to = from + 1 + random.nextInt(keys - from);
        List<String> shown = new ArrayList<>();
        for (int i = random.nextBoolean() ? 0 : from; i < to; i++) {
            shown.add("c" + i);
        }
        java.util.Collections.shuffle(shown, random);
        String limit = random.nextInt(3) == 0
                ? " LIMIT " + (1 + random.nextInt(4)) + (random.nextBoolean() ? " OFFSET " + random.nextInt(3) : "")
                : "";
        String sql = "SELECT DISTINCT " + String.join(", ", shown) + " FROM " + name + " WHERE " + where
                + by(from, to, direction) + limit;
        return new Question(sql, arguments, List.copyOf(described), true);
    }

    private Question formed(String where, String by, @Nullable StatementArguments arguments) {
        String tail = by + (random.nextInt(3) == 0 ? " LIMIT " + random.nextInt(5) : "");
        return new Question(
                formed(projection(), " FROM " + name + " WHERE ", where, tail, false),
                arguments,
                List.copyOf(described),
                true);
    }

    /** Adds some conditions on columns outside the key, or none. */
    private void conditions(StringJoiner where, @Nullable StatementArguments arguments) {
        for (int more = random.nextInt(2) * random.nextInt(3); more > 0; more--) {
            where.add(condition(keys + random.nextInt(types.size() - keys), arguments));
        }
    }

    private String condition(int column, @Nullable StatementArguments arguments) {
        String name = "c" + column;
        if (types.get(column) == GeneratedType.VARCHAR && random.nextInt(4) == 0) {
            // Only the store can evaluate this pattern.
            String pattern = PATTERNS[random.nextInt(PATTERNS.length)];
            Given given = new Given(GeneratedType.quoted(pattern), ColumnType.VAR_STRING, pattern, false);
            return name + (random.nextInt(4) == 0 ? " NOT LIKE " : " LIKE ") + write(given, arguments);
        }
        return switch (random.nextInt(8)) {
            case 0 -> comparison(column, arguments);
            case 1 -> name + " = " + other(column, arguments);
            case 2 -> name + " <> " + other(column, arguments);
            case 3 -> name + " IN (" + other(column, arguments) + ", " + other(column, arguments) + ")";
            case 4 -> name + " BETWEEN " + other(column, arguments) + " AND " + other(column, arguments);
            case 5 -> name + " IS NULL";
            case 6 -> name + " IS NOT NULL";
            default -> "(" + name + " IS NULL OR " + comparison(column, arguments) + ")";
        };
    }

    private String comparison(int column, @Nullable StatementArguments arguments) {
        return "c" + column + COMPARISONS[random.nextInt(COMPARISONS.length)] + other(column, arguments);
    }

    /** Returns a value of some row, or of no row, to compare a column with. */
    private String other(int column, @Nullable StatementArguments arguments) {
        return write(given(column, randomRow()), arguments);
    }

    private @Nullable List<@Nullable String> randomRow() {
        return rows.isEmpty() ? null : rows.get(random.nextInt(rows.size()));
    }

    /**
     * Returns a statement for the same rows, or for their count or ends, in one of the other forms
     * that clients use.
     */
    private String formed(String columns, String from, String where, String tail, boolean one) {
        String plain = "SELECT " + columns + from + where + tail;
        return switch (random.nextInt(14)) {
            case 0 -> "SELECT " + (random.nextBoolean() ? "COUNT(*)" : "count(*) AS n") + from + where;
            case 1 -> "SELECT EXISTS(SELECT 1" + from + where + ") AS found";
            case 2 -> "SELECT 1 AS one" + from + where + tail;
            case 3 -> "SELECT " + columns + from + "1 = 1 AND " + where + tail;
            case 4 -> one ? "SELECT DISTINCT " + columns + from + where : plain;
            case 5 -> one ? plain + " ORDER BY 1" : plain;
            default -> plain;
        };
    }

    private String projection() {
        if (random.nextInt(3) == 0) {
            return "*";
        }
        StringJoiner columns = new StringJoiner(", ");
        int count = 1 + random.nextInt(types.size());
        for (int i = 0; i < count; i++) {
            columns.add((random.nextBoolean() ? "c" : "C")
                    + random.nextInt(types.size())
                    + (random.nextInt(6) == 0 ? " AS x" + i : ""));
        }
        return columns.toString();
    }

    /** Returns a value for a key column, mostly of the column's own class. */
    private Given given(int column, @Nullable List<@Nullable String> row) {
        GeneratedType type = types.get(column);
        String stored = row == null ? null : row.get(column);
        String value = stored == null ? type.value(random) : stored;
        boolean integer = type.integer();
        boolean decimal =
                type == GeneratedType.LARGEINT || type == GeneratedType.DECIMAL || type == GeneratedType.WIDE_DECIMAL;
        switch (random.nextInt(24)) {
            case 0:
                return new Given("NULL", ColumnType.NULL, "", true);
            case 1:
                return new Given(GeneratedType.quoted(value), ColumnType.VAR_STRING, value, false);
            case 2:
                if (integer || decimal) {
                    String padded = value.startsWith("-") ? "-0" + value.substring(1) : "0" + value;
                    return new Given(GeneratedType.quoted(padded), ColumnType.VAR_STRING, padded, false);
                }
                break;
            case 3:
                if (integer) {
                    return new Given(value + ".0", ColumnType.NEWDECIMAL, value + ".0", false);
                }
                break;
            case 4:
                if (integer) {
                    return new Given("999999999999999999999", ColumnType.NEWDECIMAL, "999999999999999999999", false);
                }
                break;
            default:
                break;
        }
        if (integer) {
            return new Given(value, ColumnType.LONGLONG, value, false);
        }
        if (decimal) {
            return new Given(value, ColumnType.NEWDECIMAL, value, false);
        }
        return new Given(GeneratedType.quoted(value), ColumnType.VAR_STRING, value, false);
    }

    private String write(Given given, @Nullable StatementArguments arguments) {
        if (arguments == null) {
            return given.literal();
        }
        described.add(given.isNull() ? "NULL" : "type " + given.type() + ": " + given.text());
        if (given.isNull()) {
            arguments.addNull();
        } else if (given.type() == ColumnType.LONGLONG) {
            arguments.addInt64(Long.parseLong(given.text()));
        } else if (given.type() == ColumnType.NEWDECIMAL) {
            byte[] digits = given.text().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            byte[] encoded = new byte[digits.length + 1];
            encoded[0] = (byte) digits.length;
            System.arraycopy(digits, 0, encoded, 1, digits.length);
            arguments.add(ColumnType.NEWDECIMAL, encoded);
        } else {
            arguments.addText(given.text());
        }
        return "?";
    }
}
