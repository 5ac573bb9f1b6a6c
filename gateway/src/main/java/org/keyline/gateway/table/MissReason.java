package org.keyline.gateway.table;

import org.keyline.rowcache.Decline;

/**
 * The reason why lines cannot answer a point read. KEYLINE LAST, KEYLINE EXPLAIN and the metrics of
 * the table show it.
 */
public enum MissReason {
    // The session or the statement
    SESSION("A setting of the session can change the reply."),
    CATALOG("The session is in another catalog of the store, or was in one when it prepared the statement."),
    TRANSACTION("Its transaction sees what only the store knows."),
    STATEMENT("It uses a cursor in a transaction, query attributes, another schema, or COM_STMT_SEND_LONG_DATA."),
    TIME_ZONE("It reads a TIMESTAMP, and the session's time zone differs from the time zone of loads."),
    NUMBER("It has a number other than 1 in a place where Keyline supports 1 only."),
    STALENESS("It asks for rows from the store: keyline_max_staleness is 0."),
    CHARACTER_SET(
            "The session receives text in its stored character set, and the table stores some of it neither as UTF-8 nor in latin1."),
    ROW_LIMIT("The session limits the rows of a SELECT, and only the store chooses these rows."),
    IDLE("The store session has been idle for long, and the store would close it."),
    LIMIT_VALUE("A LIMIT or OFFSET is not certainly a whole number."),

    // The table
    NO_LINES("The table is not cached: its key has a column of an unsupported type, or too many tables have lines."),
    SWITCHED_OFF("Lines are switched off for this table."),
    QUARANTINED(
            "Lines of this table are turned off because an audit found a wrong line; KEYLINE FLUSH TABLE turns them on."),
    REDEFINED("The table's definition has changed."),
    GRANULARITY("It binds fewer key columns than the load granularity."),
    ORDER("The store may answer several rows in another order than their keys have here."),
    TIES(
            "Values that the store considers equal differ in their bytes, and the store chooses the lowest, the highest or the only one."),
    CONDITION("A condition is on a column whose values cannot be compared exactly here."),
    SQL_MODE("It has a condition with a pattern, whose meaning depends on the session's sql_mode."),
    SEVERAL_ROWS("It has further conditions, several rows and no ORDER BY: the store chooses their order."),
    MANY_CONDITIONS("Its conditions have too many values, or too long ones, for a filter line."),
    OTHER_TYPE("The store returns an aggregate in another type than the column's."),
    NO_SNAPSHOTS("It is read in a transaction, and the table's engine has none."),

    // Permissions of the store
    NO_TEMPLATE("The store has not answered this statement to this user with these settings yet."),
    TEMPLATE_EXPIRED(
            "The store has not lately answered this statement to this user; privilegeTtl is how long that counts."),

    // Values
    VALUE("A value cannot be compared with its key column exactly."),
    CELL("A row has a value on which a condition cannot be evaluated exactly."),
    SUPPLEMENTARY("A row has characters that the store replaces for this session."),
    LONG_REPLY("Its rows together are longer than a sixteenth of limits.memory."),

    // Writes, loads and lines
    NOT_ADMITTED(
            "Its line was missing, and loads of this table do not pay off, or it is one of the few reads that measure this."),
    REPLY_IS_LOAD("Its line was missing: the store's reply to it became the line."),
    FENCED("A write to its rows, or to the table, is in progress."),
    OVERTAKEN("A write came between the lines that it reads."),
    OTHER_MOMENT("Its rows may be of another moment than what its transaction has read."),
    MANY_LINES("It lacks so many lines that separate loads do not pay off."),
    LOAD_FAILED("A line could not be loaded: the store failed, or did not answer in time."),
    LOADS_BUSY("The maximum number of loads is in progress."),
    LOAD_WAITERS("The load of its line has the maximum number of waiting readers."),
    LOAD_TOO_OLD("The load of its line began too long ago for this read."),
    LOAD_SPLIT("Its prefix is cached in ranges, and no single one has all requested rows."),
    TOO_BIG("Its rows cannot be cached: they are too many or too big for a line, or do not match the key."),
    PIPELINED("It is not the first statement of its reply.");

    private final String sentence;

    MissReason(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }

    /** Returns the reason for a decline by the cache. */
    public static MissReason of(Decline reason) {
        return switch (reason) {
            case DISABLED -> SWITCHED_OFF;
            case RETIRED -> REDEFINED;
            case FENCED -> FENCED;
            case TOO_MANY_WAITERS -> LOAD_WAITERS;
            case TOO_MANY_LOADS -> LOADS_BUSY;
            case LOAD_TOO_OLD -> LOAD_TOO_OLD;
            case SPLIT -> LOAD_SPLIT;
            case UNCACHEABLE -> TOO_BIG;
        };
    }
}
