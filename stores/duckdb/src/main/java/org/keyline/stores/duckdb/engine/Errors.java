package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Resources;

/**
 * Maps DuckDB's errors to MySQL's. DuckDB's errors differ only in their texts, so the mapping is a
 * table of texts. An error that is not in the table is reported as 1105.
 */
public final class Errors {
    static final int DUPLICATE_KEY = 1062;

    private static final String FOR_KEY = " for key '(";
    private static final int MAX_TEXT = 1000;

    /**
     * A line of {@code errors.txt}.
     *
     * @param message {@code {1}} stands for the first group of the pattern, {@code {}} for DuckDB's
     *     own text
     */
    private record Rule(int code, String sqlState, Pattern pattern, String message) {
        static Rule of(String line) {
            String[] parts = line.split(" ", 3);
            int arrow = parts[2].indexOf(" => ");
            Pattern pattern = Pattern.compile(parts[2].substring(0, arrow), Pattern.DOTALL);
            return new Rule(Integer.parseInt(parts[0]), parts[1], pattern, parts[2].substring(arrow + " => ".length()));
        }
    }

    private static final List<Rule> RULES =
            Resources.lines(Errors.class, "errors.txt").stream().map(Rule::of).toList();

    /** The errors that the store's own constraints and translated statements raise. */
    private static final List<Pattern> OWN = List.of(
            Pattern.compile("\\(Error: keyline (\\d+) (\\w{5}) ([^\n]*)\\)"),
            Pattern.compile("keyline (\\d+) (\\w{5}) ([^\n]*)"));

    private static final Pattern DUPLICATE = Pattern.compile("[Dd]uplicate key \"(.*?)\"", Pattern.DOTALL);

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
        for (Pattern pattern : OWN) {
            Matcher own = pattern.matcher(text);
            if (own.find()) {
                return error(Integer.parseInt(own.group(1)), own.group(2), own.group(3));
            }
        }
        Matcher key = DUPLICATE.matcher(text);
        if (key.find()) {
            return error(
                    DUPLICATE_KEY,
                    "23000",
                    "Duplicate entry '" + entry(key.group(1)) + "'" + FOR_KEY + columns(key.group(1)) + ")'");
        }
        for (Rule rule : RULES) {
            Matcher matcher = rule.pattern().matcher(text);
            if (matcher.find()) {
                String message = rule.message().replace("{1}", first(matcher)).replace("{}", detail(text));
                return error(rule.code(), rule.sqlState(), message);
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
    private static String detail(String text) {
        int end = text.indexOf("\n");
        String line = end < 0 ? text : text.substring(0, end);
        int colon = line.indexOf(" Error: ");
        return cut(colon < 0 ? line : line.substring(colon + " Error: ".length()));
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }
}
