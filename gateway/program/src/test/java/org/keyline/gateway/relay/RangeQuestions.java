package org.keyline.gateway.relay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.client.StatementArguments;

/**
 * A table with key (a, b, c), and reads of ranges within its prefix a, some with conditions on the
 * other columns d and e, and reads by conditions alone, all from one seed. Confined to one thread.
 */
final class RangeQuestions {
    /**
     * A read.
     *
     * @param sql with placeholders if it has arguments
     * @param arguments null for the text protocol
     * @param ordered whether the order of its rows is fixed
     */
    record Question(String sql, @Nullable StatementArguments arguments, List<String> values, boolean ordered) {}

    /** A column's type, with values of rows and others to compare with. */
    private record Type(String ddl, List<String> stored, List<String> others) {
        static Type of(String ddl, String stored, String others) {
            return new Type(ddl, split(stored), split(others));
        }

        private static List<String> split(String values) {
            return Pattern.compile("\\|")
                    .splitAsStream(values)
                    .filter(value -> !value.isEmpty())
                    .toList();
        }
    }

    private static final String TEXTS = "''|'a'|'A'|'ab'|'aB '|'b'|'B b'|'_'|'-'|'0'|'9'|'z'|'Zz'|' '|' a'";
    private static final String OTHER_TEXTS = "'aa'|'m'|'a '|'~'|'ä'|'😀'|5|'a\\tb'|'toolongforthecolumn'";

    private static final List<Type> TYPES = Stream.concat(
                    Stream.of(
                            Type.of("TINYINT", "-128|-3|-1|0|1|2|5|127", "3|'2'|2.0|1e0|2.5|128|-129|'x'|'01'"),
                            Type.of("TINYINT UNSIGNED", "0|1|2|127|128|255", "-1|256|'2'|1.5"),
                            Type.of("SMALLINT", "-32768|-2|0|1|2|32767", "32768|'1'|3|1e0"),
                            Type.of("MEDIUMINT UNSIGNED", "0|1|2|8388607|8388608|16777215", "16777216|-1|'2'"),
                            Type.of("BOOLEAN", "0|1|TRUE|FALSE", "2|'1'|-1"),
                            Type.of("INT", "-2147483648|-7|0|1|2|3|4|5|6|2147483647", "'3'|3.0|1.5|99999999999|'3x'"),
                            Type.of("INT UNSIGNED", "0|1|2|3|4294967295", "-1|'2'|2.5|4294967296"),
                            Type.of(
                                    "BIGINT",
                                    "-9223372036854775808|-5|0|1|9007199254740993|9223372036854775807",
                                    "2|9007199254740992|9007199254740992e0|'9007199254740993'|9223372036854775808"),
                            Type.of(
                                    "BIGINT UNSIGNED",
                                    "0|1|9223372036854775807|9223372036854775808|18446744073709551615",
                                    "2|-1|18446744073709551616|'1'"),
                            Type.of(
                                    "DECIMAL(8,2)",
                                    "-999999.99|-1.50|0|0.01|1|1.5|2.25|999999.99",
                                    "1.255|'1.5'|1000000|1e0|2"),
                            Type.of(
                                    "DECIMAL(20,0) UNSIGNED",
                                    "0|1|2|18446744073709551616|99999999999999999999",
                                    "-1|1.0|0.5|100000000000000000000|'1'"),
                            Type.of(
                                    "DATE",
                                    "'1000-01-01'|'2024-02-28'|'2024-02-29'|'2024-03-01'|'9999-12-31'",
                                    "'2024-02-30'|'2024-2-29'|20240229|'2024-02-29 00:00:01'|'2024-02-27'"),
                            Type.of(
                                    "DATETIME(3)",
                                    "'2024-02-29 00:00:00'|'2024-02-29 00:00:00.001'|'2024-02-29 23:59:59.999'|'2025-01-01 10:11:12'",
                                    "'2024-02-29'|'2024-02-29 00:00:00.0005'|'2024-02-29T00:00:00'|'2024-12-31 00:00:00.000'"),
                            Type.of(
                                    "DATETIME",
                                    "'2024-02-29 00:00:00'|'2024-02-29 00:00:01'|'2024-02-29 23:59:59'|'9999-12-31 23:59:59'",
                                    "'2024-02-29'|'2024-02-29 00:00:00.5'|'2024-02-29 00:00:00.000000'|20240229000000"),
                            Type.of(
                                    "DATETIME(6)",
                                    "'2024-02-29 00:00:00'|'2024-02-29 00:00:00.000001'|'2024-02-29 00:00:00.999999'",
                                    "'2024-02-29'|'2024-02-29 00:00:00.0000005'|'2024-02-30 00:00:00'"),
                            Type.of("VARBINARY(4)", "''|'a'|'A'|'ab'|'b'|'a '", "'aa'|'abcde'|5|'ä'"),
                            Type.of("BINARY(2)", "'aa'|'ab'|'AB'|'zz'", "'a'|'abc'|'ac'"),
                            Type.of("VARCHAR(300) COLLATE utf8mb4_bin", TEXTS + "|'ä'|'日本'|'😀'", OTHER_TEXTS)),
                    collations()
                            .flatMap(collation -> Stream.of("VARCHAR(12)", "CHAR(12)")
                                    .map(type -> Type.of(
                                            type + " CHARACTER SET " + collation.substring(0, collation.indexOf('_'))
                                                    + " COLLATE " + collation,
                                            TEXTS,
                                            OTHER_TEXTS))))
            .toList();

    /** For columns outside the key. */
    private static final Type TEXT = Type.of("TEXT", TEXTS + "|'ä'", OTHER_TEXTS);

    /**
     * Returns one collation for each way in which text is compared, each character set, with and
     * without padding.
     */
    private static Stream<String> collations() {
        return Stream.of(
                        "utf8mb4_general_ci",
                        "utf8mb4_unicode_ci",
                        "utf8mb4_unicode_520_ci",
                        "utf8mb4_uca1400_ai_ci",
                        "utf8mb4_uca1400_as_ci",
                        "utf8mb4_uca1400_nopad_ai_ci",
                        "utf8mb4_nopad_bin",
                        "utf8mb4_general_nopad_ci",
                        "utf8mb4_unicode_nopad_ci",
                        "utf8mb4_0900_ai_ci",
                        "utf8mb3_bin",
                        "utf8mb3_general_ci",
                        "latin1_bin",
                        "latin1_swedish_ci",
                        "ascii_bin",
                        "ascii_general_ci")
                .filter(collation ->
                        !MariaDb.isMySql() || !(collation.contains("nopad") || collation.contains("uca1400")));
    }

    private static final List<String> COMPARISONS = List.of("<", "<=", ">", ">=");
    private static final List<String> TURNED = List.of(">", ">=", "<", "<=");
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
    private static final int PREFIXES = 3;

    private final Random random;
    private final String name;
    /** The columns a, b, c, d, e. */
    private final List<Type> columns;
    /** With an index, the store may return rows in its order. */
    private final boolean indexed;

    private static final Pattern LIMITED = Pattern.compile("(LIMIT |OFFSET )([0-9]+)");
    private static final Pattern MARKED = Pattern.compile("\u0001([^\u0002]*)\u0002");

    /**
     * The conditions of the last reads by conditions alone, each read within the result of the one
     * before.
     */
    private List<String> within = new ArrayList<>();

    private boolean marked;

    private @Nullable StatementArguments arguments;
    private List<String> values = new ArrayList<>();

    /** @param number of the table; each type occurs once in some tables */
    RangeQuestions(long seed, int number) {
        this.random = new Random(seed + number);
        this.name = "ranges.t" + number;
        this.columns = List.of(
                Type.of("INT", "1|2|3", ""),
                TYPES.get(number % TYPES.size()),
                TYPES.get(random.nextInt(TYPES.size())),
                TYPES.get((number + TYPES.size() / 2) % TYPES.size()),
                random.nextInt(8) == 0 ? TEXT : TYPES.get(random.nextInt(TYPES.size())));
        this.indexed = random.nextBoolean();
    }

    /**
     * Returns settings for a gateway that has lines by the first key column in the first tables,
     * and lines of ranges in as many others.
     */
    static String[] prefixes() {
        return IntStream.range(0, tables())
                .mapToObj(table -> "tables.ranges.t" + table + ".prefix=" + (table < types() ? 1 : 0))
                .toArray(String[]::new);
    }

    /**
     * Returns the number of tables: those with lines by the first key column, and as many with
     * ranges of keys.
     */
    static int tables() {
        return 2 * types();
    }

    static int types() {
        return TYPES.size();
    }

    List<String> schema() {
        StringJoiner rows = new StringJoiner(", ", "INSERT IGNORE INTO " + name + " VALUES ", "");
        for (int i = 0; i < 60; i++) {
            rows.add("(" + (1 + random.nextInt(PREFIXES)) + ", " + pick(columns.get(1).stored) + ", "
                    + pick(columns.get(2).stored) + ", " + (i % 5 == 0 ? "NULL" : "'v" + i + "'") + ", "
                    + cell(columns.get(3)) + ", " + cell(columns.get(4)) + ")");
        }
        return List.of(
                "CREATE TABLE " + name + " (a INT, b " + columns.get(1).ddl + ", c " + columns.get(2).ddl
                        + ", v VARCHAR(20), d " + columns.get(3).ddl + ", e " + columns.get(4).ddl
                        + ", PRIMARY KEY (a, b, c)"
                        + (indexed
                                ? ", KEY (a, d), KEY (e" + (columns.get(4).ddl.equals("TEXT") ? "(9)" : "") + ")"
                                : "")
                        + ")",
                rows.toString());
    }

    /**
     * Returns a cell for a column outside the key, including values that no key may have, and
     * values of another type that the store converts.
     */
    private String cell(Type type) {
        boolean other = random.nextInt(8) == 0 && !type.others.isEmpty();
        return random.nextInt(5) == 0 ? "NULL" : pick(other ? type.others : type.stored);
    }

    private String pick(List<String> from) {
        return from.get(random.nextInt(from.size()));
    }

    /** Returns a write of a row, or of the rows with a part of the key. */
    String write() {
        String a = pick(columns.get(0).stored);
        String b = pick(columns.get(1).stored);
        return switch (random.nextInt(5)) {
            case 0 -> "DELETE FROM " + name + " WHERE a = " + a + " AND b = " + b;
            case 1 -> "UPDATE " + name + " SET v = 'w" + random.nextInt(100) + "' WHERE a = " + a;
            case 2 ->
                "UPDATE " + name + " SET v = 'x" + random.nextInt(100) + "' WHERE a = " + a + " AND b = " + b
                        + " AND c = " + pick(columns.get(2).stored);
            default ->
                "INSERT IGNORE INTO " + name + " VALUES (" + a + ", " + b + ", " + pick(columns.get(2).stored)
                        + ", 'new', " + cell(columns.get(3)) + ", " + cell(columns.get(4)) + ")";
        };
    }

    /** Returns the next read of rows in key order, from any position. */
    Question nextScan() {
        arguments = random.nextBoolean() ? new StatementArguments() : null;
        values = new ArrayList<>();
        StringJoiner where = new StringJoiner(" AND ", " WHERE ", "").setEmptyValue("");
        String beyond = pick(COMPARISONS);
        int stretch = random.nextInt(8);
        switch (stretch) {
            case 7 -> {}
            case 0, 1 -> where.add(comparison(0));
            case 2 -> where.add("a BETWEEN " + value(0) + " AND " + value(0));
            case 3 -> where.add("(a, b) " + beyond + " (" + value(0) + ", " + value(1) + ")");
            case 4 -> where.add("(a, b, c) " + beyond + " (" + value(0) + ", " + value(1) + ", " + value(2) + ")");
            case 5 -> {
                String strictly = beyond.substring(0, 1);
                where.add("(a " + strictly + " " + value(0) + " OR a = " + value(0) + " AND b " + beyond + " "
                        + value(1) + ")");
            }
            default -> where.add(comparison(0)).add(comparison(0));
        }
        if (stretch < 7 && random.nextInt(3) == 0) {
            where.add(condition());
        }
        String direction = random.nextBoolean() ? "" : " DESC";
        String limit = random.nextInt(4) > 0
                ? " LIMIT " + random.nextInt(40) + (random.nextBoolean() ? " OFFSET " + random.nextInt(4) : "")
                : "";
        String by = " ORDER BY a" + direction + ", b" + direction + ", c" + direction + limit;
        String from = " FROM " + name + where;
        String sql = switch (random.nextInt(11)) {
            case 9 -> "SELECT DISTINCT a" + from + " ORDER BY a" + direction + limit;
            case 10 -> "SELECT DISTINCT b, a" + from + " ORDER BY a" + direction + ", b" + direction + limit;
            case 0 -> "SELECT COUNT(*)" + from;
            case 1 -> "SELECT 1 AS one" + from + " LIMIT 1";
            case 2 -> "SELECT EXISTS(SELECT 1" + from + ") AS found";
            case 3 -> "SELECT " + (random.nextBoolean() ? "MAX" : "MIN") + "(a)" + from;
            case 4 -> "SELECT v, c, b" + from + by;
            default -> "SELECT *" + from + by;
        };
        return question(sql, true);
    }

    /** Returns the next read with a part of the key. */
    Question next() {
        arguments = random.nextBoolean() ? new StatementArguments() : null;
        values = new ArrayList<>();
        boolean list = random.nextInt(6) == 0;
        StringJoiner where = new StringJoiner(" AND ", " WHERE ", "");
        if (list) {
            where.add("a IN (" + value(0) + ", " + value(0) + ")");
        } else {
            where.add("a = " + value(0));
        }
        boolean bound = false;
        switch (random.nextInt(9)) {
            case 0, 1 -> where.add(comparison(1));
            case 2 -> where.add(comparison(1)).add(comparison(1));
            case 3 -> where.add("b BETWEEN " + value(1) + " AND " + value(1));
            case 4 -> {
                int of = random.nextInt(COMPARISONS.size());
                where.add(
                        random.nextBoolean()
                                ? "(b, c) " + COMPARISONS.get(of) + " (" + value(1) + ", " + value(2) + ")"
                                : "(" + value(1) + ", " + value(2) + ") " + TURNED.get(of) + " (b, c)");
            }
            case 5 -> {
                String beyond = random.nextBoolean() ? ">" : "<";
                where.add("(b " + beyond + " " + value(1) + " OR (b = " + value(1) + " AND c " + beyond + " " + value(2)
                        + "))");
            }
            case 6 ->
                where.add("(" + comparison(1) + " OR " + comparison(1) + " OR b IN (" + value(1) + ", " + value(1)
                        + "))");
            case 7 -> {
                where.add("b = " + value(1)).add(comparison(2));
                bound = true;
            }
            default -> {
                where.add("b = " + value(1)).add(comparison(1)).add("c BETWEEN " + value(2) + " AND " + value(2));
                bound = true;
            }
        }
        for (int more = random.nextInt(3); more > 0; more--) {
            where.add(condition());
        }
        String direction = random.nextBoolean() ? "" : " DESC";
        String by = (list ? " ORDER BY a" + direction + ", " : " ORDER BY ")
                + (bound && random.nextBoolean() ? "" : "b" + direction + ", ") + "c" + direction;
        String limit = random.nextInt(3) == 0
                ? " LIMIT " + random.nextInt(6) + (random.nextBoolean() ? " OFFSET " + random.nextInt(4) : "")
                : "";
        by += limit;
        String from = " FROM " + name + where;
        boolean any = random.nextInt(12) == 0;
        String sql = switch (random.nextInt(14)) {
            case 11 -> "SELECT DISTINCT b" + from + (list ? " ORDER BY a, b" : " ORDER BY b") + direction + limit;
            case 12 ->
                "SELECT DISTINCT " + (list ? "a" : "a, b") + from + " ORDER BY a" + direction
                        + (list ? "" : ", b" + direction) + limit;
            case 13 -> "SELECT DISTINCT a, v, c, b" + from + by;
            case 9 -> "SELECT " + aggregates() + from;
            case 10 -> "SELECT " + (random.nextBoolean() ? "MAX" : "min") + (bound ? "(c)" : "(b)") + from;
            case 0 -> "SELECT COUNT(*)" + from;
            case 1 -> "SELECT 1 AS one" + from + " LIMIT 1";
            case 2 -> "SELECT EXISTS(SELECT 1" + from + ") AS found";
            case 3 -> "SELECT v, c, b" + from + (any ? "" : by);
            case 4 -> "SELECT v" + from + (any ? "" : by);
            default -> "SELECT *" + from + (any ? "" : by);
        };
        return question(sql, !any);
    }

    /**
     * Returns a read with the numbers of LIMIT and OFFSET, which come last, as literals or as
     * arguments.
     */
    private Question question(String sql, boolean ordered) {
        StatementArguments bound = arguments;
        String text = random.nextInt(3) == 0 ? dressed(sql) : sql;
        if (bound != null && random.nextBoolean()) {
            text = LIMITED.matcher(text).replaceAll(number -> {
                values.add(number.group(2));
                bind(number.group(2), bound);
                return number.group(1) + "?";
            });
        }
        return new Question(text, bound, List.copyOf(values), ordered);
    }

    /**
     * Returns the same read with words that do not change its rows; the store refuses some of them.
     */
    private String dressed(String sql) {
        String head = pick(List.of(
                "",
                "SQL_NO_CACHE ",
                "SQL_CACHE ",
                "HIGH_PRIORITY SQL_NO_CACHE ",
                "/*!40001 SQL_NO_CACHE */ ",
                "/*!99999 HIGH_PRIORITY */ ",
                "/*+ MAX_EXECUTION_TIME(100000) */ ",
                "/*+ QB_NAME(q) MAX_EXECUTION_TIME(100000) */ SQL_CACHE ",
                "'x' AS kind, 7, ",
                "ALL "));
        boolean items = head.endsWith(", ") && (sql.startsWith("SELECT *") || sql.startsWith("SELECT EXISTS"));
        String index = pick(List.of(
                "",
                "",
                " FORCE INDEX (`PRIMARY`)",
                // The store's choice of another possible index varies from one execution to the
                // next.
                " IGNORE INDEX (e, a)",
                " IGNORE INDEX (gone)"));
        String where = pick(List.of("", "TRUE AND ", "1 AND ", "1=1 AND TRUE AND "));
        return sql.replaceFirst("SELECT ", Matcher.quoteReplacement("SELECT " + (items ? "" : head)))
                .replaceFirst(" FROM " + name, Matcher.quoteReplacement(" FROM " + name + index))
                .replaceFirst(" WHERE ", Matcher.quoteReplacement(" WHERE " + where));
    }

    /**
     * Returns the next read by conditions on any columns, often those of the last one and one more,
     * in any order.
     */
    Question nextFilter() {
        marked = true;
        if (within.size() >= 4 || random.nextInt(3) == 0) {
            within = new ArrayList<>();
        }
        within.add(random.nextInt(6) == 0 ? opaque() : condition(random.nextInt(NAMES.size())));
        Collections.shuffle(within, random);
        String from = " FROM " + name + " WHERE " + String.join(" AND ", within);
        String direction = random.nextBoolean() ? "" : " DESC";
        String limit = random.nextInt(3) == 0 ? " LIMIT " + mark("" + random.nextInt(6)) : "";
        String by = " ORDER BY a" + direction + ", b" + direction + ", c" + direction + limit;
        String sql = switch (random.nextInt(12)) {
            case 10 -> "SELECT DISTINCT a" + from + " ORDER BY a" + direction + limit;
            case 11 -> "SELECT DISTINCT b, a" + from + " ORDER BY a" + direction + ", b" + direction + limit;
            case 0 -> "SELECT COUNT(*)" + from;
            case 1 -> "SELECT COUNT(v), MIN(a), COUNT(*)" + from;
            case 2 -> "SELECT EXISTS(SELECT 1" + from + ") AS found";
            case 3 -> "SELECT v, e" + from;
            case 4 -> "SELECT 1" + from + " LIMIT " + mark("3");
            case 5 -> "SELECT v, c, b" + from + by;
            default -> "SELECT *" + from + by;
        };
        marked = false;
        return asked(sql);
    }

    /** Returns a read whose marked values are literals or arguments. */
    private Question asked(String sql) {
        StatementArguments bound = random.nextBoolean() ? new StatementArguments() : null;
        List<String> all = new ArrayList<>();
        String text = MARKED.matcher(sql).replaceAll(value -> {
            String literal = value.group(1);
            all.add(literal);
            if (bound != null) {
                bind(literal, bound);
            }
            return bound == null ? Matcher.quoteReplacement(literal) : "?";
        });
        return new Question(text, bound, all, false);
    }

    /** Not all of them are answered from lines, whatever the conditions. */
    private String aggregates() {
        String[] all = {
            "COUNT(v)",
            "COUNT(b) AS n",
            "count(*) m",
            "MIN(b)",
            "MAX(t.b) AS `highest b`",
            "MIN( c ) AS c",
            "MAX(c)",
            "MIN(a) a"
        };
        StringJoiner some = new StringJoiner(", ");
        for (int count = 1 + random.nextInt(3); count > 0; count--) {
            some.add(all[random.nextInt(all.length)].replace("t.", name + "."));
        }
        return some.toString();
    }

    /** Returns a condition on one column, rarely on one of the key. */
    private String condition() {
        return condition(random.nextInt(6) == 0 ? 2 : 3 + random.nextInt(2));
    }

    private String condition(int column) {
        String name = NAMES.get(column);
        // Lines do not answer IS NULL on a key column.
        int kind = random.nextInt(12);
        return switch (marked && column < 3 && (kind == 8 || kind == 10) ? 0 : kind) {
            case 0, 1 -> comparison(column);
            case 2 -> name + " = " + value(column);
            case 3 -> name + (random.nextBoolean() ? " <> " : " != ") + value(column);
            case 4 -> name + " IN (" + value(column) + ", " + value(column) + ", " + value(column) + ")";
            case 5 -> name + " NOT IN (" + value(column) + ", " + value(column) + ")";
            case 6 -> name + " BETWEEN " + value(column) + " AND " + value(column);
            case 7 -> name + " NOT BETWEEN " + value(column) + " AND " + value(column);
            case 8 -> name + " IS NULL";
            case 9 -> name + " IS NOT NULL";
            case 10 -> "(" + name + " IS NULL OR " + comparison(column) + ")";
            default ->
                "(" + comparison(column) + " AND " + comparison(column) + " OR " + name + " = " + value(column) + ")";
        };
    }

    /**
     * Returns a condition that only the store can evaluate, on a text or date column if one exists.
     */
    private String opaque() {
        int column = 1 + random.nextInt(columns.size() - 1);
        String name = NAMES.get(column);
        String type = columns.get(column).ddl;
        if (type.startsWith("DATE")) {
            return pick(List.of(
                    "YEAR(" + name + ") = " + mark("2024"),
                    "MONTH(" + name + ") <> " + mark("2"),
                    "DAYOFYEAR(" + name + ") < " + mark("60")));
        }
        return pick(List.of(
                name + " LIKE " + mark(pick(List.of("'a%'", "'%b%'", "'A_'", "'%ä%'", "''", "'%\\_%'"))),
                name + " NOT LIKE " + mark("'_'"),
                name + " LIKE " + mark("'%!_%'") + " ESCAPE " + mark("'!'"),
                name + " REGEXP " + mark(pick(List.of("'^a'", "'[b-z]$'", "'.*'"))),
                name + " NOT RLIKE " + mark("'a.?'"),
                "LOWER(" + name + ") = " + mark("'ab'"),
                "REVERSE(RTRIM(" + name + ")) <= " + mark("'b'"),
                "CHAR_LENGTH(" + name + ") > " + mark("1"),
                "LEFT(" + name + ", " + mark("1") + ") = " + mark("'a'"),
                "INSTR(" + name + ", " + mark("'b'") + ") = " + mark("2")));
    }

    private static String mark(String literal) {
        return "\u0001" + literal + "\u0002";
    }

    private String comparison(int column) {
        int of = random.nextInt(COMPARISONS.size());
        String name = NAMES.get(column);
        return random.nextInt(4) == 0
                ? value(column) + " " + TURNED.get(of) + " " + name
                : name + " " + COMPARISONS.get(of) + " " + value(column);
    }

    /** Returns a value to compare a column with, mostly one of a row. */
    private String value(int column) {
        Type type = columns.get(column);
        boolean other = random.nextInt(5) == 0 && !type.others.isEmpty();
        String literal = random.nextInt(60) == 0 ? "NULL" : pick(other ? type.others : type.stored);
        if (marked) {
            return "\u0001" + literal + "\u0002";
        }
        values.add(literal);
        if (arguments == null) {
            return literal;
        }
        bind(literal, arguments);
        return "?";
    }

    private static void bind(String literal, StatementArguments arguments) {
        if (literal.equals("NULL")) {
            arguments.addNull();
        } else if (literal.matches("-?[0-9]{1,18}")) {
            arguments.addInt64(Long.parseLong(literal));
        } else {
            arguments.addText(literal.startsWith("'") ? literal.substring(1, literal.length() - 1) : literal);
        }
    }
}
