package org.keyline.gateway.table;

import org.keyline.planner.ForwardReason;

/** Returns advice on a reason: which key to set, which right to grant, how to write a statement. */
public final class Advice {
    private static final String NOTHING = "Nothing: only the store can run such a statement.";
    private static final String PLAIN =
            "Read plain columns of one table by its key; compute the rest in the application.";
    private static final String BIND =
            "Compare columns with literals or placeholders (?), and compute their values in the application.";

    private Advice() {}

    public static String of(ForwardReason reason) {
        return switch (reason) {
            case MALFORMED -> "Send well-formed text: bind values as parameters instead of writing them into the text.";
            case AMBIGUOUS_TEXT -> "Write a space after '--', and no comment within a comment.";
            case EXECUTABLE_COMMENT -> "Omit /*! … */; a connection pool or proxy may add it.";
            case UNCERTAIN -> "Use the default sql_mode and SET NAMES utf8mb4; KEYLINE LAST names the unknown setting.";
            case TOO_LONG -> "Bind values as parameters, or send fewer values at a time.";
            case MULTI_STATEMENT ->
                "Send statements one by one: without allowMultiQueries (Connector/J) or multiStatements.";
            case EMPTY, KEYLINE_STATEMENT, NOT_A_SELECT, LOCKING_READ, INTO -> NOTHING;
            case OPTIMIZER_HINT -> "Omit the hint, or use one that Keyline knows, such as MAX_EXECUTION_TIME.";
            case SELECT_MODIFIER -> "Omit the word after SELECT; use SELECT COUNT(*) instead of SQL_CALC_FOUND_ROWS.";
            case COMMON_TABLE_EXPRESSION, SET_OPERATION, SUBQUERY, JOIN ->
                "Read each table by its key in a separate statement, as an ORM does with select-in loading.";
            case NO_TABLE -> "Nothing; a pool needs no SELECT 1 if it tests connections by isValid() (a ping).";
            case DISTINCT, GROUPING, WINDOW, AGGREGATE ->
                "Bind the first key columns and use COUNT, MIN or MAX, or aggregate in the application.";
            case PARTITION_SELECTION -> "Bind key columns instead of PARTITION (…).";
            case INDEX_HINT -> "Omit the index hint, or add ORDER BY the rest of the key.";
            case OTHER_CLAUSE, USER_VARIABLE, SYSTEM_VARIABLE, FUNCTION, COMPUTED_COLUMN, EXPRESSION -> PLAIN;
            case CHARSET_INTRODUCER -> "Omit the introducer, as in _utf8mb4'…'.";
            case NO_DATABASE -> "Name the database: in the client's URL, by USE, or before the table's name.";
            case TABLE_UNKNOWN ->
                "Read the table behind the view, or GRANT SELECT on it to store.user; a new table is known within store.refresh.";
            case OTHER_CATALOG -> "Read internal.DB.TABLE, or connect without the other catalog.";
            case NO_UNIQUE_KEY -> "Give the table a PRIMARY KEY, or a UNIQUE KEY model in Doris.";
            case ROW_POLICY ->
                "Nothing: hits would show rows that the policy hides. DROP ROW POLICY if it is not needed.";
            case POLICIES_UNSEEN -> "GRANT ADMIN_PRIV ON *.*.* TO store.user (Doris); the log has the statement.";
            case DEFINITION_UNREAD -> "SELECT kept_out FROM keyline.tables names the reason; the log has the GRANT.";
            case COLUMN_UNKNOWN -> "Check the column's name; after ALTER TABLE wait for store.refresh.";
            case NO_CONDITION ->
                "Add WHERE on the first key columns; for whole tables set tables.DB.TABLE.prefix: 0 with ORDER BY the key.";
            case DISJUNCTION -> "Write IN (…) on a key column instead of OR.";
            case RANGE -> "Bind the key columns before it by =, or set tables.DB.TABLE.prefix: 0.";
            case OTHER_CONDITION, NULL_LITERAL, VALUE_NOT_LITERAL -> BIND;
            case VALUE_COLUMN_CONDITION -> "Bind the first key columns as well, or set filter.enabled: true.";
            case KEY_BOUND_TWICE -> "Give each key column one condition.";
            case KEY_PREFIX_UNBOUND -> "Bind the first key columns by =, or set filter.enabled: true.";
            case TOO_MANY_KEYS, TOO_COMPLEX ->
                "Split the statement: use fewer values in IN lists, and fewer conditions.";
            case ORDER_NOT_BY_KEY, RANGE_WITHOUT_ORDER, LIMIT_WITHOUT_ORDER ->
                "Add ORDER BY the remaining key columns, all in one direction, or sort in the application.";
            case LIMIT_NOT_LITERAL -> "Write LIMIT and OFFSET as numbers or placeholders.";
            case UNPARSED -> "Use standard MySQL syntax. If the statement has it, please report the statement.";
        };
    }

    /** Returns advice on a miss reason. docs/miss-reasons.md has more. */
    public static String of(MissReason reason) {
        return switch (reason) {
            case NO_TEMPLATE ->
                "Nothing if this is its first run; otherwise, bind values as parameters, so that the texts are equal.";
            case TEMPLATE_EXPIRED -> "Nothing; a longer privilegeTtl makes it rarer.";
            case SESSION ->
                "Omit the setting that KEYLINE LAST names (SET NAMES utf8mb4 for a character set), or set it globally at the store.";
            case CATALOG -> "USE internal.DB, and log in without another catalog.";
            case TRANSACTION ->
                "Read with autocommit on and outside of transactions, or SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED.";
            case OTHER_MOMENT -> "Read with autocommit, or at READ COMMITTED.";
            case STATEMENT ->
                "Fetch without a cursor within transactions (useCursorFetch=false), and without query attributes.";
            case TIME_ZONE ->
                "Set the store's time zone in the session (connectionTimeZone=SERVER), or use DATETIME columns.";
            case NUMBER, OTHER_TYPE, NO_SNAPSHOTS, REDEFINED, OVERTAKEN, LOAD_WAITERS, REPLY_IS_LOAD ->
                "Nothing: the store answers it.";
            case STALENESS -> "SET keyline_max_staleness = DEFAULT.";
            case CHARACTER_SET, SUPPLEMENTARY -> "SET NAMES utf8mb4.";
            case ROW_LIMIT -> "SET sql_select_limit = DEFAULT, and LIMIT with ORDER BY (Connector/J: no setMaxRows).";
            case IDLE -> "Nothing; a longer wait_timeout at the store makes it rarer.";
            case LIMIT_VALUE -> "Bind LIMIT and OFFSET as integers that are not negative.";
            case NO_LINES -> "SELECT kept_out FROM keyline.tables has the reason: use another key, or fewer tables.";
            case SWITCHED_OFF -> "Set cache.enabled and tables.DB.TABLE.enabled to true.";
            case QUARANTINED -> "Report the key in the log, then run KEYLINE FLUSH TABLE name.";
            case GRANULARITY -> "Set a smaller tables.DB.TABLE.prefix, or a larger cache.autoRows.";
            case ORDER, TIES -> "Use a binary collation for the column, or read single rows.";
            case CONDITION, CELL -> "Use a column of another type, or with a binary collation.";
            case SQL_MODE -> "SET sql_mode = DEFAULT.";
            case SEVERAL_ROWS -> "Add ORDER BY the rest of the key, or set filter.order: any.";
            case MANY_CONDITIONS -> "Use fewer values, or bind the first key columns.";
            case VALUE -> "Bind values of the column's type: numbers for numbers, text for text.";
            case LONG_REPLY -> "Read fewer rows at a time, or raise limits.memory.";
            case NOT_ADMITTED ->
                "Nothing: loads do not pay off here. The row 'loads' of KEYLINE EXPLAIN has the figures.";
            case FENCED -> "Use shorter transactions, and writes that name rows by their whole key.";
            case MANY_LINES ->
                "Bind a key column or add LIMIT, since no read loads a whole table; or set a smaller tables.DB.TABLE.prefix.";
            case LOAD_FAILED -> "Check the store and the log; set a longer cache.loadTimeout if the store is slow.";
            case LOADS_BUSY -> "Raise loadConnections if the store allows more connections.";
            case LOAD_TOO_OLD -> "Set a longer cache.ttl, or use a faster store.";
            case LOAD_SPLIT -> "Set a larger tables.DB.TABLE.prefix.";
            case TOO_BIG ->
                "Set a larger tables.DB.TABLE.prefix, raise cache.maxRowsPerLine and cache.maxBytesPerLine, or give text"
                        + " keys a binary collation.";
            case PIPELINED -> "Send statements one by one.";
        };
    }
}
