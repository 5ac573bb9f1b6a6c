package org.keyline.gateway.table;

import org.keyline.rowcache.Decline;

/** Why lines cannot answer a point read, for KEYLINE LAST, KEYLINE EXPLAIN and metrics. */
public enum MissReason {
    // The session or the statement
    SESSION("A setting of the session can change the reply."),
    CATALOG("The session is in another catalog of the store, or was in one when it prepared the statement."),
    TRANSACTION("The transaction sees rows that only the store knows."),
    STATEMENT(
            "The statement uses a cursor in a transaction, query attributes, another schema, or COM_STMT_SEND_LONG_DATA."),
    TIME_ZONE("The statement reads a TIMESTAMP, and the session's time zone differs from the time zone of loads."),
    NUMBER("The statement has a number other than 1 where Keyline supports only 1."),
    STALENESS("The session requires rows from the store: keyline_max_staleness is 0."),
    CHARACTER_SET(
            "The session receives text in its stored character set, and some column of the table is neither UTF-8 nor latin1."),
    ROW_LIMIT("The session limits the rows of a SELECT, and only the store chooses these rows."),
    IDLE("The store session has been idle for so long that the store would soon close it."),
    LIMIT_VALUE("A LIMIT or OFFSET is not known to be a whole number."),

    // The table
    NO_LINES("The table is not cached: its key has a column of an unsupported type, or too many tables have lines."),
    SWITCHED_OFF("Lines are switched off for this table."),
    QUARANTINED(
            "Lines of this table are switched off because an audit found a wrong line. KEYLINE FLUSH TABLE switches them on."),
    REDEFINED("The table's definition has changed."),
    GRANULARITY("The statement binds fewer key columns than the load granularity."),
    ORDER("The store may return several rows in an order other than that of their key bytes."),
    TIES(
            "Values that the store considers equal may differ in their bytes, so the lowest, the highest or the distinct value is ambiguous."),
    CONDITION("A condition is on a column whose values Keyline cannot compare exactly."),
    SQL_MODE("The statement has a condition with a pattern, whose meaning depends on the session's sql_mode."),
    SEVERAL_ROWS(
            "The statement has further conditions, several rows and no ORDER BY, so the store chooses their order."),
    MANY_CONDITIONS("The conditions have too many values, or too long ones, for a filter line."),
    OTHER_TYPE("The store returns an aggregate with another type than that of its column."),
    NO_SNAPSHOTS("The statement is in a transaction, and the table's engine has no transactions."),

    // Permissions of the store
    NO_TEMPLATE("The store has not answered this statement to this user with these settings yet."),
    TEMPLATE_EXPIRED("The store last answered this statement to this user longer than privilegeTtl ago."),

    // Values
    VALUE("A value cannot be compared with its key column exactly."),
    CELL("A row has a value on which a condition cannot be evaluated exactly."),
    SUPPLEMENTARY("A row has characters that the store replaces for this session."),
    LONG_REPLY("The reply exceeds a sixteenth of limits.memory."),

    // Writes, loads and lines
    NOT_ADMITTED(
            "The line was missing and this read did not load it: loads of this table do not pay off, or the read was a sample to measure this."),
    REPLY_IS_LOAD("The line was missing, and the store's reply to this read became the line."),
    FENCED("A write to the rows, or to the table, is in progress."),
    OVERTAKEN("A write changed one of the lines of this read during the read."),
    OTHER_MOMENT("The rows may be of another moment than those of earlier reads in the transaction."),
    MANY_LINES("So many lines are missing that separate loads do not pay off."),
    LOAD_FAILED("A line could not be loaded: the store failed, or did not answer in time."),
    LOADS_BUSY("The maximum number of loads is in progress."),
    LOAD_WAITERS("The load of the line has the maximum number of waiting reads."),
    LOAD_TOO_OLD("The load of the line began too long ago for this read."),
    LOAD_SPLIT("The prefix is cached in ranges, and no range has all requested rows."),
    TOO_BIG("The rows cannot be cached: they are too many or too big for a line, or bytes cannot compare their keys."),
    PIPELINED("The statement is not the first one in a text of several statements.");

    private final String sentence;

    MissReason(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }

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
