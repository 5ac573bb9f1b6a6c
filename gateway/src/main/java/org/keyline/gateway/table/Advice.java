package org.keyline.gateway.table;

import org.keyline.planner.ForwardReason;

/**
 * Advice for operators on a reason: the key to set, the right to grant, the client's property, or
 * the other SQL. Each is one line.
 */
public final class Advice {
    private static final String NOTHING = "Nothing: such a statement belongs to the store.";
    private static final String PLAIN =
            "Read plain columns of one table by its key; compute the rest in the application.";
    private static final String BIND =
            "Compare columns with literals or placeholders (?), and compute their values in the application.";

    private Advice() {}

    public static String of(ForwardReason reason) {
        return switch (reason) {
            case MALFORMED ->
                "Send well-formed text: bind values as parameters in place of writing them into the text.";
            case AMBIGUOUS_TEXT -> "Write a space behind '--', and no comment within a comment.";
            case EXECUTABLE_COMMENT -> "Leave out /*! … */; a connection pool or proxy may add it.";
            case UNCERTAIN -> "Use the default sql_mode and SET NAMES utf8mb4; KEYLINE LAST names what is in doubt.";
            case TOO_LONG -> "Bind values as parameters, or send fewer values at a time.";
            case MULTI_STATEMENT ->
                "Send statements one by one: without allowMultiQueries (Connector/J) or multiStatements.";
            case EMPTY, KEYLINE_STATEMENT, NOT_A_SELECT, LOCKING_READ, INTO -> NOTHING;
            case OPTIMIZER_HINT -> "Leave out the hint, or use one that Keyline knows, such as MAX_EXECUTION_TIME.";
            case SELECT_MODIFIER ->
                "Leave out the word after SELECT; count with SELECT COUNT(*) in place of SQL_CALC_FOUND_ROWS.";
            case COMMON_TABLE_EXPRESSION, SET_OPERATION, SUBQUERY, JOIN ->
                "Read each table by its key in a statement of its own, as an ORM does with select-in loading.";
            case NO_TABLE -> "Nothing; a pool that asks SELECT 1 does without it by isValid() (a ping).";
            case DISTINCT, GROUPING, WINDOW, AGGREGATE ->
                "Bind the first key columns and use COUNT, MIN or MAX, or aggregate in the application.";
            case PARTITION_SELECTION -> "Bind key columns in place of PARTITION (…).";
            case INDEX_HINT -> "Leave out the index hint, or add ORDER BY the rest of the key.";
            case OTHER_CLAUSE, USER_VARIABLE, SYSTEM_VARIABLE, FUNCTION, COMPUTED_COLUMN, EXPRESSION -> PLAIN;
            case CHARSET_INTRODUCER -> "Leave out the introducer, as in _utf8mb4'…'.";
            case NO_DATABASE -> "Name the database: in the client's URL, by USE, or ahead of the table.";
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
            case DISJUNCTION -> "Write IN (…) on a key column in place of OR.";
            case RANGE -> "Bind the key columns before it by =, or set tables.DB.TABLE.prefix: 0.";
            case OTHER_CONDITION, NULL_LITERAL, VALUE_NOT_LITERAL -> BIND;
            case VALUE_COLUMN_CONDITION -> "Bind the first key columns as well, or set filter.enabled: true.";
            case KEY_BOUND_TWICE -> "Give each key column one condition.";
            case KEY_PREFIX_UNBOUND -> "Bind the first key columns by =, or set filter.enabled: true.";
            case TOO_MANY_KEYS, TOO_COMPLEX -> "Split it: fewer values in IN lists, fewer conditions.";
            case ORDER_NOT_BY_KEY, RANGE_WITHOUT_ORDER, LIMIT_WITHOUT_ORDER ->
                "Add ORDER BY the remaining key columns, all in one direction, or sort in the application.";
            case LIMIT_NOT_LITERAL -> "Write LIMIT and OFFSET as numbers or placeholders.";
            case UNPARSED -> "Write it in standard MySQL syntax; if it is, please report the statement.";
        };
    }

    /**
     * Returns the advice for a point read that lines cannot answer. docs/miss-reasons.md has more.
     */
    public static String of(MissReason reason) {
        return switch (reason) {
            case NO_TEMPLATE ->
                "Nothing if this is its first run; else bind values as parameters, so that the texts are equal.";
            case TEMPLATE_EXPIRED -> "Nothing; a longer privilegeTtl makes it rarer.";
            case SESSION -> "Leave out the setting that KEYLINE LAST names, or set it globally at the store.";
            case CATALOG -> "USE internal.DB, and log in without another catalog.";
            case TRANSACTION -> "Read outside of the transaction, or SET TRANSACTION ISOLATION LEVEL READ COMMITTED.";
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
            case NO_LINES -> "Use key columns of other types, or fewer tables; the log names the table.";
            case SWITCHED_OFF -> "Set cache.enabled and tables.DB.TABLE.enabled to true.";
            case QUARANTINED -> "Report the key that the log has, then KEYLINE FLUSH TABLE name.";
            case GRANULARITY -> "A smaller tables.DB.TABLE.prefix, or a larger cache.autoRows.";
            case ORDER, TIES -> "A binary collation of the column, or reads of single rows.";
            case CONDITION, CELL -> "A column of another type, or with a binary collation.";
            case SQL_MODE -> "SET sql_mode = DEFAULT.";
            case SEVERAL_ROWS -> "Add ORDER BY the rest of the key, or set filter.order: any.";
            case MANY_CONDITIONS -> "Fewer values, or bind the first key columns.";
            case VALUE -> "Bind values of the column's type: numbers for numbers, text for text.";
            case LONG_REPLY -> "Read fewer rows at a time, or raise limits.memory.";
            case NOT_ADMITTED -> "Nothing: loads do not pay here. The row loads of KEYLINE EXPLAIN has the figures.";
            case FENCED -> "Shorter transactions, and writes that name rows by their whole key.";
            case MANY_LINES -> "A smaller tables.DB.TABLE.prefix, so that one load brings more.";
            case LOAD_FAILED -> "Look at the store and the log; a longer cache.loadTimeout if it is slow.";
            case LOADS_BUSY -> "Raise loadConnections, if the store can take it.";
            case LOAD_TOO_OLD -> "A longer cache.ttl, or a faster store.";
            case LOAD_SPLIT -> "A larger tables.DB.TABLE.prefix.";
            case TOO_BIG -> "A larger tables.DB.TABLE.prefix, or raise cache.maxRowsPerLine and cache.maxBytesPerLine.";
            case PIPELINED -> "Send statements one by one.";
        };
    }
}
