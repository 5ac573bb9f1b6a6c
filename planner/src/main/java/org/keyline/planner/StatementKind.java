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
    /** A temporary table may shadow another table of that name from now on. */
    TEMPORARY_TABLE,
    BEGIN,
    /** A new transaction may follow at once (AND CHAIN). */
    COMMIT,
    /** The whole transaction; a new one may follow at once (AND CHAIN). */
    ROLLBACK,
    /** SAVEPOINT, RELEASE SAVEPOINT, ROLLBACK TO: the transaction continues. */
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
    /** As text; runs a statement that an earlier PREPARE named. */
    EXECUTE,
    /** GRANT, REVOKE, users, roles, policies, which may revoke privileges. */
    PRIVILEGE,
    /** SET ROLE, which changes the session's privileges. */
    ROLE,
    XA,
    /** KEYLINE …, which never goes to the store. */
    KEYLINE,
    /** Only comments and white space. */
    EMPTY,
    /** Several statements of any of the kinds above. */
    MULTI,
    /** At least one of the statements is {@link #PRIVILEGE}. */
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
