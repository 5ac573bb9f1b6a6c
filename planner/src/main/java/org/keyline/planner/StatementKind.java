package org.keyline.planner;

/** The effect of a forwarded statement on its session. */
public enum StatementKind {
    SELECT,
    INSERT,
    UPDATE,
    DELETE,
    LOAD,
    /** CREATE, ALTER, DROP, RENAME, TRUNCATE of anything that is not temporary. */
    DDL,
    /** A statement after which a temporary table may shadow another table of that name. */
    TEMPORARY_TABLE,
    BEGIN,
    /** COMMIT. A new transaction may follow at once (AND CHAIN). */
    COMMIT,
    /** ROLLBACK of the whole transaction. A new one may follow at once (AND CHAIN). */
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
    /** PREPARE and DEALLOCATE PREPARE as text. */
    PREPARE,
    /** EXECUTE as text, which runs a statement that an earlier PREPARE named. */
    EXECUTE,
    /** GRANT, REVOKE, users, roles, policies, which may revoke privileges. */
    PRIVILEGE,
    /** SET ROLE, which changes the session's privileges. */
    ROLE,
    XA,
    /** KEYLINE …, which never goes to the store. */
    KEYLINE,
    /** A text of only comments and white space. */
    EMPTY,
    /** Several statements of any of the kinds above. */
    MULTI,
    /** Several statements, at least one of them {@link #PRIVILEGE}. */
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
