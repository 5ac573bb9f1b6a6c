package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/** Why the session forwards a statement. A statement without a reason is a {@link PointRead}. */
public enum ForwardReason {
    // Reasons of the text as a whole
    MALFORMED(
            "The text is not well-formed: an unterminated string or comment, a stray byte, or invalid UTF-8 in a name."),
    AMBIGUOUS_TEXT("Stores read this text differently: '--' without a following space, or a comment within a comment."),
    EXECUTABLE_COMMENT(
            "The statement has an executable comment (/*! … */) other than a modifier of SELECT that changes no row."),
    UNCERTAIN(
            "Keyline does not know the session's sql_mode, character set or schema, on which the meaning of the text may depend."),
    TOO_LONG("The statement is longer than the maximum that Keyline parses."),
    EMPTY("The statement is empty."),
    MULTI_STATEMENT("The text has more than one statement."),
    KEYLINE_STATEMENT("The statement is one of the gateway's own."),
    NOT_A_SELECT("The statement is not a SELECT."),

    // Reasons of clauses
    OPTIMIZER_HINT("The statement has an optimizer hint (/*+ … */) that may change its rows."),
    SELECT_MODIFIER("The statement has a modifier after SELECT (SQL_CALC_FOUND_ROWS, SQL_BUFFER_RESULT, …)."),
    COMMON_TABLE_EXPRESSION("The statement begins with a common table expression (WITH)."),
    SET_OPERATION("The statement combines several SELECTs (UNION, EXCEPT, INTERSECT)."),
    SUBQUERY("The statement has a subquery."),
    JOIN("The statement reads more than one table."),
    NO_TABLE("The statement reads no table."),
    DISTINCT(
            "The statement has DISTINCT on columns other than the first columns of the key, or the store may use another index for the DISTINCT."),
    GROUPING("The statement groups rows (GROUP BY, HAVING)."),
    WINDOW("The statement has a window function."),
    LOCKING_READ("The statement locks the rows that it reads (FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE)."),
    INTO("The statement writes its result elsewhere (INTO)."),
    PARTITION_SELECTION("The statement selects partitions."),
    INDEX_HINT(
            "The statement names an index and may have several unordered rows, which the store may return in the order of that index."),
    OTHER_CLAUSE("The statement has a word that point reads do not have."),

    // Values
    USER_VARIABLE("The statement uses a user variable."),
    SYSTEM_VARIABLE("The statement uses a system variable."),
    CHARSET_INTRODUCER("The statement has a literal with a character set introducer."),
    FUNCTION("The statement calls a function."),
    AGGREGATE(
            "MIN and MAX are answered only for the first key column that WHERE does not bind to one value; this statement has another argument."),
    COMPUTED_COLUMN("A projected column is computed for each reader, from more than its row."),
    EXPRESSION("A projected column is an expression, not a plain column."),

    // Names
    NO_DATABASE("No database is selected, and the table's name is not qualified."),
    TABLE_UNKNOWN("The table is not in the catalog, or is a view."),
    OTHER_CATALOG("The statement names a table of another catalog; only tables of the store's own catalog have lines."),
    NO_UNIQUE_KEY("The table has no primary key (Doris, StarRocks: no unique key), so its rows are not cached."),
    ROW_POLICY("A row policy of the store hides rows of the table from some users, so its rows are not cached."),
    POLICIES_UNSEEN(
            "Keyline cannot see the store's row policies, so no table's rows are cached. Keyline's log has the cause and the cure."),
    DEFINITION_UNREAD(
            "Keyline cannot read the table's definition, so its rows are not cached. keyline.tables has the reason."),
    COLUMN_UNKNOWN("A column is not in the catalog."),

    // Conditions
    NO_CONDITION("The statement has no WHERE clause."),
    DISJUNCTION("The condition has an OR of terms other than comparisons of the first key columns."),
    RANGE("A key column has a range, and a key column before it is not bound to a value."),
    OTHER_CONDITION(
            "The condition has terms other than comparisons of columns with values by =, <>, ranges, IN and IS NULL."),
    NULL_LITERAL("A condition has a NULL literal."),
    VALUE_NOT_LITERAL("A column is compared with an operand that is neither a literal nor a placeholder."),
    VALUE_COLUMN_CONDITION(
            "A condition on a column outside the key has a form that lines cannot evaluate together with a bound key prefix."),
    KEY_BOUND_TWICE("A key column has two conditions."),
    KEY_PREFIX_UNBOUND("The bound key columns are not the first ones of the key."),
    TOO_MANY_KEYS("The IN lists name too many keys."),
    TOO_COMPLEX("The statement is nested too deeply or has too many conditions."),

    // Order and limit
    ORDER_NOT_BY_KEY("The statement is not ordered by exactly the remaining key columns, all in one direction."),
    RANGE_WITHOUT_ORDER(
            "The statement may read several rows without ORDER BY the remaining key columns. The store may return them in an order other than the key's."),
    LIMIT_WITHOUT_ORDER("The statement limits rows without ORDER BY, so the store chooses the rows."),
    LIMIT_NOT_LITERAL("The LIMIT or OFFSET is neither a literal nor a placeholder."),

    UNPARSED("Keyline could not parse the statement.");

    private final String sentence;

    ForwardReason(String sentence) {
        this.sentence = requireNonNull(sentence, "sentence is null");
    }

    public String sentence() {
        return sentence;
    }
}
