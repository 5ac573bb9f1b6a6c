package org.keyline.planner;

/** What a forwarded statement is to its session. */
public enum StatementKind {
    /** SELECT, TABLE, WITH … SELECT. */
    SELECT,
    /** INSERT, REPLACE. */
    INSERT,
    UPDATE,
    DELETE,
    /** LOAD DATA, LOAD XML. */
    LOAD,
    /** CREATE, ALTER, DROP, RENAME, TRUNCATE of what is not temporary. */
    DDL,
    /** CREATE TEMPORARY TABLE: from now on a name may be shadowed in this session. */
    TEMPORARY_TABLE,
    /** BEGIN, START TRANSACTION, with any modifiers. */
    BEGIN,
    /** COMMIT; a new transaction may follow at once (AND CHAIN). */
    COMMIT,
    /** ROLLBACK of the whole transaction; a new one may follow at once (AND CHAIN). */
    ROLLBACK,
    /** SAVEPOINT, RELEASE SAVEPOINT, ROLLBACK TO: the transaction goes on. */
    SAVEPOINT,
    /** SET of variables, names, character set, role, transaction. */
    SET,
    USE,
    SHOW,
    /** SHOW STATUS: may ask for the gateway's own figures. */
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
    /** EXECUTE as text: runs what an earlier PREPARE named. */
    EXECUTE,
    /** GRANT, REVOKE, users, roles, policies: what was allowed may not be any more. */
    PRIVILEGE,
    /** SET ROLE: the session's own rights are others from now on. */
    ROLE,
    XA,
    /** KEYLINE …: never reaches the store. */
    KEYLINE,
    /** Nothing but comments and white space. */
    EMPTY,
    /** More than one statement; any of the kinds above. */
    MULTI,
    /** The same, with at least one that is {@link #PRIVILEGE}. */
    MULTI_PRIVILEGE,
    /** A known statement that changes nothing in its session. */
    OTHER,
    /** Not known: may change anything in its session. */
    UNKNOWN;

    /** Whether it reads or writes rows and does nothing else. */
    public boolean isOfRows() {
        return this == SELECT || this == INSERT || this == UPDATE || this == DELETE;
    }
}
