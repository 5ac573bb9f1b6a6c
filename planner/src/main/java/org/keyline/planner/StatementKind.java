package org.keyline.planner;

/** The kinds of statements, by their possible effects on the session. */
public enum StatementKind {
    SELECT,
    INSERT,
    UPDATE,
    DELETE,
    LOAD,
    /** CREATE, ALTER, DROP, RENAME, TRUNCATE, unless the statement is of another kind. */
    DDL,
    /** CREATE TEMPORARY TABLE, which may hide a table of the same name from this session. */
    TEMPORARY_TABLE,
    BEGIN,
    /** COMMIT. A new transaction may follow at once (AND CHAIN). */
    COMMIT,
    /** ROLLBACK of the whole transaction. A new transaction may follow at once (AND CHAIN). */
    ROLLBACK,
    /** SAVEPOINT, RELEASE SAVEPOINT, or ROLLBACK TO. The transaction continues. */
    SAVEPOINT,
    SET,
    USE,
    SHOW,
    /** SHOW STATUS, which may request the gateway's own figures. */
    SHOW_STATUS,
    EXPLAIN,
    CALL,
    LOCK,
    UNLOCK,
    KILL,
    /** PREPARE and DEALLOCATE PREPARE as SQL, not as commands. */
    PREPARE,
    /** EXECUTE as SQL, which runs a statement that an earlier PREPARE named. */
    EXECUTE,
    /** GRANT, REVOKE, and statements on users, roles and row policies. */
    PRIVILEGE,
    /** SET ROLE, which changes the session's privileges. */
    ROLE,
    XA,
    /** KEYLINE …, which never goes to the store. */
    KEYLINE,
    /** A text of only comments and white space. */
    EMPTY,
    /** Several statements in one text. */
    MULTI,
    /** Several statements in one text, at least one of them {@link #PRIVILEGE}. */
    MULTI_PRIVILEGE,
    /** A known statement that does not change its session. */
    OTHER,
    /** An unknown statement, which may change any state of its session. */
    UNKNOWN;

    /** Returns whether statements of this kind only read or write rows. */
    public boolean isOfRows() {
        return this == SELECT || this == INSERT || this == UPDATE || this == DELETE;
    }
}
