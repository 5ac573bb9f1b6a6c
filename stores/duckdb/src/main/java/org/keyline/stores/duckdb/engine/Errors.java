package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.keyline.planner.StatementRefusedException;

/**
 * Maps DuckDB's errors to MySQL's. DuckDB's errors differ only in their texts, so the mapping is a
 * table of texts. An error that is not in the table is reported as 1105.
 */
public final class Errors {
    static final int DUPLICATE_KEY = 1062;

    private static final String FOR_KEY = " for key '(";
    private static final int MAX_TEXT = 1000;
    private static final String QUOTED_OR_BARE = "(?:\"([^\"]+)\"|([^\\s\"]+))";

    private record Rule(Pattern pattern, Function<Matcher, StatementRefusedException> error) {}

    private static final List<Rule> RULES = List.of(
            // Errors that the store's own constraints and translated statements raise. Their texts
            // contain number, SQLSTATE and message.
            rule(
                    "\\(Error: keyline (\\d+) (\\w{5}) ([^\n]*)\\)",
                    m -> error(Integer.parseInt(m.group(1)), m.group(2), m.group(3))),
            rule("keyline (\\d+) (\\w{5}) ([^\n]*)", m -> error(Integer.parseInt(m.group(1)), m.group(2), m.group(3))),
            rule("INTERRUPT Error|Interrupted!", m -> interrupted()),
            rule("Malformed JSON ([^\n]*)", m -> error(3140, "22032", "Invalid JSON text: " + m.group(1))),
            rule(
                    "Duplicate key \"(.*?)\" violates|duplicate key \"(.*?)\"",
                    m -> error(
                            DUPLICATE_KEY,
                            "23000",
                            "Duplicate entry '" + entry(first(m)) + "'" + FOR_KEY + columns(first(m)) + ")'")),
            rule(
                    "Conflict on (?:update|tuple deletion|delete)|Transaction conflict|write-write conflict",
                    m -> conflict()),
            rule(
                    "NOT NULL constraint failed: [^\\s.]+\\.(\\S+)",
                    m -> error(1048, "23000", "Column '" + first(m) + "' cannot be null")),
            rule(
                    "(?:Table|View) with name " + QUOTED_OR_BARE + " does not exist",
                    m -> error(1146, "42S02", "Table '" + first(m).replace("!", "") + "' doesn't exist")),
            rule(
                    "Referenced column \"([^\"]+)\" not found|Referenced column \"([^\"]+)\" was not found|does not"
                            + " have a column named \"([^\"]+)\"|Column \"([^\"]+)\" (?:does not exist|referenced)",
                    m -> error(1054, "42S22", "Unknown column '" + first(m) + "' in 'field list'")),
            rule(
                    "must appear in the GROUP BY clause|GROUP BY",
                    m -> error(
                            1055,
                            "42000",
                            "Expression is not in GROUP BY clause and is not functionally dependent on columns in it")),
            rule("CHECK constraint failed", m -> error(1526, "HY000", "Table has no partition for the row")),
            rule(
                    "In a DISTINCT aggregate, ORDER BY",
                    m -> error(
                            1235,
                            "42000",
                            "This store doesn't support GROUP_CONCAT(DISTINCT … ORDER BY …) by anything but the text"
                                    + " itself")),
            rule(
                    "More than one row returned by a subquery|returned more than one row|Scalar subquery",
                    m -> error(1242, "21000", "Subquery returns more than 1 row")),
            rule("[Dd]ivi(?:sion|de) by zero", m -> error(1365, "22012", "Division by 0")),
            rule(
                    "Overflow in (?:addition|subtraction|multiplication|division|negation|SUM)",
                    m -> error(1690, "22003", "BIGINT value is out of range: " + detail(m))),
            rule(
                    "Overflow in|out of range|Out of Range Error",
                    m -> error(1264, "22003", "Out of range value: " + detail(m))),
            rule(
                    "(?:date|timestamp|time) field (?:value|format)|invalid (?:date|timestamp|time)|Could not convert"
                            + " string '(.*?)' to (?:DATE|TIMESTAMP|TIME)",
                    m -> error(1292, "22007", "Incorrect datetime value: " + detail(m))),
            rule(
                    "Could not convert string '(.*?)' to ([A-Z0-9_]+)",
                    m -> error(1366, "HY000", "Incorrect value '" + m.group(1) + "' for type " + m.group(2))),
            rule(
                    "Conversion Error|Could not convert|Mismatch Type",
                    m -> error(1366, "HY000", "Incorrect value: " + detail(m))),
            rule(
                    "Max expression depth limit",
                    m -> error(1436, "HY000", "Thread stack overrun: the statement is nested too deeply")),
            rule(
                    "Parser Error|syntax error",
                    m -> error(1064, "42000", "You have an error in your SQL syntax: " + detail(m))),
            rule("Current transaction is aborted", m -> aborted("an earlier statement failed")),
            rule("Out of Memory Error|failed to allocate", m -> error(1041, "HY000", "Out of memory: " + detail(m))),
            rule("No space left on device", m -> error(1021, "HY000", "Disk full: " + detail(m))),
            rule(
                    "Binder Error|Not implemented Error|not (?:yet )?supported",
                    m -> error(1235, "42000", "This store doesn't support it: " + detail(m))));

    /** The errors that follow a failed write until DuckDB's database is opened again. */
    private static final Pattern STOPPED = Pattern.compile("^FATAL Error|has been invalidated|(?:Catalog|Database) \""
            + Database.CATALOG + "\" (?:does not exist|not found)|No catalog \\+ schema named \"" + Database.CATALOG);

    private static final String UNTIL_RESTART =
            ": the embedded engine has stopped, and answers nothing until Keyline is restarted";
    private static final String UNTIL_WRITTEN = ": the embedded store could not write its file, and opens it anew";

    private Errors() {}

    public static StatementRefusedException of(SQLException failure) {
        String text = String.valueOf(failure.getMessage());
        if (STOPPED.matcher(text).find()) {
            return stopped(text);
        }
        for (Rule rule : RULES) {
            Matcher matcher = rule.pattern().matcher(text);
            if (matcher.find()) {
                return rule.error().apply(matcher);
            }
        }
        return error(1105, "HY000", cut(text));
    }

    /** Returns whether the error is a transaction conflict, so that another attempt may succeed. */
    public static boolean isConflict(StatementRefusedException error) {
        return error.code() == 1213;
    }

    /** Returns error 1021 for a full disk, otherwise 1030. */
    private static StatementRefusedException stopped(String text) {
        boolean full = text.contains("No space left on device");
        int cause = text.indexOf("Original error: ");
        return error(
                full ? 1021 : 1030,
                "HY000",
                (full ? "Disk full" : "Got error from storage engine")
                        + (text.startsWith("FATAL Error") ? UNTIL_RESTART : UNTIL_WRITTEN)
                        + "; what was acknowledged is safe"
                        + (cause < 0
                                ? ""
                                : " ("
                                        + cut(text.substring(cause)
                                                .lines()
                                                .findFirst()
                                                .orElse("")) + ")"));
    }

    /** Returns whether the error says that the engine has stopped until the process restarts. */
    public static boolean isFatal(StatementRefusedException error) {
        return String.valueOf(error.getMessage()).contains(UNTIL_RESTART);
    }

    /** Returns whether the error says that the database is detached and can be opened again. */
    public static boolean isDetached(StatementRefusedException error) {
        return String.valueOf(error.getMessage()).contains(UNTIL_WRITTEN);
    }

    /**
     * Returns error 1213, for a transaction that was rolled back because another transaction
     * changed the same rows first.
     */
    public static StatementRefusedException conflict() {
        return error(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction");
    }

    /** Returns error 1317, for KILL QUERY. */
    public static StatementRefusedException interrupted() {
        return error(1317, "70100", "Query execution was interrupted");
    }

    /** Returns error 3024, for max_execution_time. */
    public static StatementRefusedException timeout() {
        return error(3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded");
    }

    /** Returns error 1105 for a statement in a transaction that can only be rolled back. */
    public static StatementRefusedException aborted(String why) {
        return error(1105, "HY000", "The transaction can only be rolled back, because " + why);
    }

    public static StatementRefusedException error(int code, String sqlState, String message) {
        return new StatementRefusedException(code, sqlState, message);
    }

    private static Rule rule(String pattern, Function<Matcher, StatementRefusedException> error) {
        return new Rule(Pattern.compile(pattern, Pattern.DOTALL), error);
    }

    private static String first(Matcher matcher) {
        for (int group = 1; group <= matcher.groupCount(); group++) {
            if (matcher.group(group) != null) {
                return matcher.group(group);
            }
        }
        return "";
    }

    /** Turns {@code a: 1, b: x} into {@code 1-x}, as MySQL prints keys. */
    private static String entry(String key) {
        StringBuilder entry = new StringBuilder();
        for (String part : key.split(", ", -1)) {
            int colon = part.indexOf(": ");
            entry.append(entry.isEmpty() ? "" : "-").append(colon < 0 ? part : part.substring(colon + 2));
        }
        return entry.toString();
    }

    /** Turns {@code a: 1, b: x} into {@code a,b}. */
    private static String columns(String key) {
        StringJoiner columns = new StringJoiner(",");
        for (String part : key.split(", ", -1)) {
            int colon = part.indexOf(": ");
            if (colon > 0) {
                columns.add(part.substring(0, colon));
            }
        }
        return columns.toString();
    }

    /**
     * Replaces the key's columns, which DuckDB names in error 1062, by the key's name. Returns
     * other errors unchanged.
     *
     * @param keyOf maps the key's columns, separated by commas, to the key's name; the argument is
     *     empty if DuckDB's error names no columns
     */
    public static StatementRefusedException naming(StatementRefusedException error, UnaryOperator<String> keyOf) {
        String message = String.valueOf(error.getMessage());
        int at = error.code() == DUPLICATE_KEY ? message.lastIndexOf(FOR_KEY) : -1;
        if (at < 0) {
            return error;
        }
        String columns = message.substring(at + FOR_KEY.length(), message.length() - ")'".length());
        return error(DUPLICATE_KEY, "23000", message.substring(0, at) + " for key '" + keyOf.apply(columns) + "'");
    }

    /** Returns the first line of DuckDB's text without the class of the error. */
    private static String detail(Matcher matcher) {
        String text = matcher.reset().appendTail(new StringBuilder()).toString();
        int end = text.indexOf("\n");
        String line = end < 0 ? text : text.substring(0, end);
        int colon = line.indexOf(" Error: ");
        return cut(colon < 0 ? line : line.substring(colon + " Error: ".length()));
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }
}
