package org.keyline.planner;

/** The effect of a forwarded statement on its session. */
public enum StatementKind {
    /** SELECT, TABLE, WITH … SELECT. */
    SELECT,
    /** INSERT, REPLACE. */
    INSERT,
    UPDATE,
    DELETE,
    /** LOAD DATA, LOAD XML. */
    LOAD,
    /** CREATE, ALTER, DROP, RENAME, TRUNCATE of anything that is not temporary. */
    DDL,
    /**
     * CREATE TEMPORARY TABLE: from now on, a temporary table may shadow another table of that name.
     */
    TEMPORARY_TABLE,
    /** BEGIN, START TRANSACTION, with any modifiers. */
    BEGIN,
    /** COMMIT; a new transaction may follow at once (AND CHAIN). */
    COMMIT,
    /** ROLLBACK of the whole transaction; a new one may follow at once (AND CHAIN). */
    ROLLBACK,
    /** SAVEPOINT, RELEASE SAVEPOINT, ROLLBACK TO: the transaction continues. */
    SAVEPOINT,
    /** SET of variables, names, character set, role, transaction. */
    SET,
    USE,
    SHOW,
    /** SHOW STATUS, which may request the gateway's own figures. */
    SHOW_STATUS,
    /** EXPLAIN, DESCRIBE, DESC. */
    EXPLAIN,
    CALL,
    /** LOCK TABLES, FLUSH TABLES … WITH READ LOCK. */
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
    /** Only comments and white space. */
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
