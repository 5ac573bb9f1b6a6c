package org.keyline.stores.duckdb.translate;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Words of MySQL's grammar that are not names. */
final class Keywords {

    /** Written as they are: Calcite reads them as MySQL does. */
    static final Set<String> KEPT = Set.of(
            "SELECT",
            "DISTINCT",
            "ALL",
            "FROM",
            "WHERE",
            "GROUP",
            "BY",
            "HAVING",
            "ORDER",
            "ASC",
            "DESC",
            "LIMIT",
            "UNION",
            "INTERSECT",
            "EXCEPT",
            "AS",
            "ON",
            "USING",
            "JOIN",
            "INNER",
            "LEFT",
            "RIGHT",
            "OUTER",
            "CROSS",
            "NATURAL",
            "AND",
            "OR",
            "NOT",
            "IN",
            "IS",
            "NULL",
            "TRUE",
            "FALSE",
            "LIKE",
            "BETWEEN",
            "EXISTS",
            "CASE",
            "WHEN",
            "THEN",
            "ELSE",
            "WITH",
            "RECURSIVE",
            "LATERAL",
            "OVER",
            "WINDOW",
            "VALUES");

    /** After these an operand may begin, so that a parenthesis opens no call and a sign is a sign. */
    static final Set<String> BEFORE_OPERAND = Set.of(
            "SELECT",
            "DISTINCT",
            "DISTINCTROW",
            "ALL",
            "FROM",
            "WHERE",
            "BY",
            "HAVING",
            "LIMIT",
            "OFFSET",
            "UNION",
            "INTERSECT",
            "EXCEPT",
            "AS",
            "ON",
            "USING",
            "JOIN",
            "STRAIGHT_JOIN",
            "AND",
            "OR",
            "XOR",
            "NOT",
            "IN",
            "IS",
            "LIKE",
            "RLIKE",
            "REGEXP",
            "BETWEEN",
            "EXISTS",
            "CASE",
            "WHEN",
            "THEN",
            "ELSE",
            "DIV",
            "BINARY",
            "INTERVAL",
            "ANY",
            "SOME",
            "OVER",
            "VALUES",
            "ROW",
            "LATERAL",
            "SET",
            "ESCAPE",
            "RETURN");

    /** Words without meaning for the result that may follow SELECT. */
    static final Set<String> SELECT_MODIFIERS = Set.of(
            "STRAIGHT_JOIN",
            "SQL_NO_CACHE",
            "SQL_CACHE",
            "HIGH_PRIORITY",
            "SQL_SMALL_RESULT",
            "SQL_BIG_RESULT",
            "SQL_BUFFER_RESULT");

    /** What ends the list of a SELECT. */
    static final Set<String> AFTER_SELECT_LIST = Set.of(
            "FROM",
            "WHERE",
            "GROUP",
            "HAVING",
            "ORDER",
            "LIMIT",
            "UNION",
            "EXCEPT",
            "INTERSECT",
            "FOR",
            "LOCK",
            "INTO",
            "WINDOW");

    /** Functions that may be called without parentheses. */
    static final Set<String> BARE_CALLS = Set.of(
            "CURRENT_DATE",
            "CURRENT_TIME",
            "CURRENT_TIMESTAMP",
            "LOCALTIME",
            "LOCALTIMESTAMP",
            "UTC_DATE",
            "UTC_TIME",
            "UTC_TIMESTAMP",
            "CURRENT_USER");

    /** Units of INTERVAL. */
    static final Set<String> UNITS = Set.of(
            "MICROSECOND",
            "SECOND",
            "MINUTE",
            "HOUR",
            "DAY",
            "WEEK",
            "MONTH",
            "QUARTER",
            "YEAR",
            "SECOND_MICROSECOND",
            "MINUTE_MICROSECOND",
            "MINUTE_SECOND",
            "HOUR_MICROSECOND",
            "HOUR_SECOND",
            "HOUR_MINUTE",
            "DAY_MICROSECOND",
            "DAY_SECOND",
            "DAY_MINUTE",
            "DAY_HOUR",
            "YEAR_MONTH");

    /** Words that are kept inside OVER (…) only. */
    static final Set<String> WINDOW_WORDS =
            Set.of("PARTITION", "ROWS", "RANGE", "PRECEDING", "FOLLOWING", "UNBOUNDED", "CURRENT", "ROW");

    /** Calls with a grammar of their own. */
    static final Map<String, Frame.Kind> CALLS = Map.of(
            "CAST", Frame.Kind.CAST,
            "CONVERT", Frame.Kind.CONVERT,
            "EXTRACT", Frame.Kind.EXTRACT,
            "TRIM", Frame.Kind.TRIM,
            "SUBSTRING", Frame.Kind.SUBSTRING,
            "SUBSTR", Frame.Kind.SUBSTRING,
            "MID", Frame.Kind.SUBSTRING,
            "POSITION", Frame.Kind.POSITION,
            "CHAR", Frame.Kind.CHARACTERS,
            "GROUP_CONCAT", Frame.Kind.GROUP_CONCAT);

    private Keywords() {}

    static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }
}
