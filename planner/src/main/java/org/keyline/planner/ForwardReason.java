package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * The reason why a statement goes to the store. A statement without any of these reasons is a
 * {@link PointRead}.
 */
public enum ForwardReason {
    // The text as a whole
    MALFORMED(
            "The text is not well-formed: an unterminated string or comment, a stray byte, or invalid UTF-8 in a name."),
    AMBIGUOUS_TEXT("Stores read this text differently: '--' without a following space, or a comment within a comment."),
    EXECUTABLE_COMMENT(
            "It has an executable comment (/*! … */) with more than a word behind SELECT that changes no row."),
    UNCERTAIN(
            "The session's sql_mode, character set or schema is not known, and the text may mean something else by it."),
    TOO_LONG("It is longer than what is digested."),
    EMPTY("It is empty."),
    MULTI_STATEMENT("It is more than one statement."),
    KEYLINE_STATEMENT("It is one of the gateway's own statements."),
    NOT_A_SELECT("It is not a SELECT."),

    // Clauses
    OPTIMIZER_HINT("It has an optimizer hint (/*+ … */) that is not known to leave its rows as they are."),
    SELECT_MODIFIER("It has a modifier after SELECT (SQL_CALC_FOUND_ROWS, SQL_BUFFER_RESULT, …)."),
    COMMON_TABLE_EXPRESSION("It begins with a common table expression (WITH)."),
    SET_OPERATION("It combines several SELECTs (UNION, EXCEPT, INTERSECT)."),
    SUBQUERY("It has a subquery."),
    JOIN("It reads more than one table."),
    NO_TABLE("It reads no table."),
    DISTINCT(
            "It removes duplicates (DISTINCT), and not those of the first key columns in the order of the key, or the store may find them by another index."),
    GROUPING("It groups rows (GROUP BY, HAVING)."),
    WINDOW("It has a window."),
    LOCKING_READ("It locks what it reads (FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE)."),
    INTO("It writes its result somewhere (INTO)."),
    PARTITION_SELECTION("It selects partitions."),
    INDEX_HINT("It names an index, and may have several rows in no given order: they may come in that of the index."),
    OTHER_CLAUSE("It has a word that no point read has."),

    // Values
    USER_VARIABLE("It uses a user variable."),
    SYSTEM_VARIABLE("It uses a system variable."),
    CHARSET_INTRODUCER("It has a literal with a character set introducer."),
    FUNCTION("It calls a function."),
    AGGREGATE("It takes MIN or MAX of another expression than the first key column that is not bound to a value."),
    COMPUTED_COLUMN("A projected column is computed for each reader, from more than its row."),
    EXPRESSION("A projected column is an expression, not a plain column."),

    // Names
    NO_DATABASE("No database is selected, and the table's name has none."),
    TABLE_UNKNOWN("The table is not in the catalog, or is a view."),
    OTHER_CATALOG("It names a table of another catalog; only tables of the store's own catalog have lines."),
    NO_UNIQUE_KEY("The table has no unique key, so its rows are not cached."),
    ROW_POLICY("A row policy of the store hides rows of the table from some users, so its rows are not cached."),
    POLICIES_UNSEEN(
            "Keyline's account may not see the row policies of the store, so no table's rows are cached. The log names the right."),
    DEFINITION_UNREAD(
            "Keyline cannot read the table's definition, so its rows are not cached. keyline.tables says why."),
    COLUMN_UNKNOWN("A column is not in the catalog."),

    // Conditions
    NO_CONDITION("It has no WHERE clause."),
    DISJUNCTION("Its condition has an OR of more than comparisons of the first key columns."),
    RANGE("A key column is compared by a range, and one before it in the key is not bound to a value."),
    OTHER_CONDITION(
            "Its condition has something other than columns compared with values by =, <>, ranges, IN and IS NULL."),
    NULL_LITERAL("A condition has a NULL literal."),
    VALUE_NOT_LITERAL("A column is compared with something other than a literal or a placeholder."),
    VALUE_COLUMN_CONDITION(
            "A condition on a column outside the key has a form that lines cannot evaluate beside a bound key prefix."),
    KEY_BOUND_TWICE("A key column has two conditions."),
    KEY_PREFIX_UNBOUND("The bound key columns are not the first ones of the key."),
    TOO_MANY_KEYS("Its IN lists name too many keys."),
    TOO_COMPLEX("It is nested too deeply or has too many conditions."),

    // Order and limit
    ORDER_NOT_BY_KEY("It is not ordered by exactly the remaining key columns, all in one direction."),
    RANGE_WITHOUT_ORDER(
            "It may read several rows without ordering them by the remaining key columns, and the store may answer in another order than the key's."),
    LIMIT_WITHOUT_ORDER("It limits rows without ORDER BY, so the store chooses which rows it returns."),
    LIMIT_NOT_LITERAL("Its LIMIT or OFFSET is neither a literal nor a placeholder."),

    UNPARSED("It could not be parsed.");

    private final String sentence;

    ForwardReason(String sentence) {
        this.sentence = requireNonNull(sentence, "sentence is null");
    }

    /** Returns the reason as a sentence for people. */
    public String sentence() {
        return sentence;
    }
}
