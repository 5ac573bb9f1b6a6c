package org.keyline.gateway.table;

import org.keyline.rowcache.Decline;

/**
 * The reason why no line answers a point read. It is set where it is decided, and shown by KEYLINE
 * LAST, KEYLINE EXPLAIN and the metrics of the table.
 */
public enum MissReason {
    // The session or the statement
    SESSION("A setting of the session can change the reply."),
    CATALOG("The session is in another catalog of the store, or was in one when it prepared the statement."),
    TRANSACTION("Its transaction sees what only the store knows."),
    STATEMENT(
            "It asks for a cursor within a transaction, has query attributes, is of another schema, or a value came ahead of it."),
    TIME_ZONE("It reads a TIMESTAMP, and the session's time zone is not the one that lines are loaded by."),
    NUMBER("It has a number other than 1 where only that is known."),
    STALENESS("It asks for rows from the store: keyline_max_staleness is 0."),
    CHARACTER_SET(
            "The session takes text as it is stored, and the table stores some of it neither as UTF-8 nor in latin1."),
    ROW_LIMIT("The session limits how many rows a SELECT answers, and which these are is for the store to say."),
    IDLE("The store has not heard of the session for long, and would end it."),
    LIMIT_VALUE("A LIMIT or OFFSET is not a number that is sure to be one."),

    // The table
    NO_LINES("The table's rows are not kept: its key has a column of another kind, or too many tables have lines."),
    SWITCHED_OFF("Lines are switched off for this table."),
    QUARANTINED(
            "Lines are switched off for this table since one of them was wrong; KEYLINE FLUSH TABLE switches them on."),
    REDEFINED("The table's definition has changed."),
    GRANULARITY("It binds fewer key columns than the load granularity."),
    ORDER("The store may answer several rows in another order than their keys have here."),
    TIES(
            "Values that the store calls equal are written in several ways, and which one is the lowest, the highest or the only one is its choice."),
    CONDITION("A condition is on a column whose values cannot be compared exactly here."),
    SQL_MODE("It has a condition with a pattern, which is read otherwise under the session's sql_mode."),
    SEVERAL_ROWS(
            "It has further conditions and no order, and several rows: which comes first is for the store to say."),
    MANY_CONDITIONS("Its conditions have too many values, or too long ones, for a filter line."),
    OTHER_TYPE("The store answers an aggregate in another type than the column has."),
    NO_SNAPSHOTS("It is read in a transaction, and the table's engine has none."),

    // Permission of the store
    NO_TEMPLATE("The store has not answered this statement to this user with these settings yet."),
    TEMPLATE_EXPIRED(
            "The store has not lately answered this statement to this user; privilegeTtl is how long that counts."),

    // Values
    VALUE("A value cannot be compared with its key column exactly."),
    CELL("A row has a value that a condition cannot be held against exactly."),
    SUPPLEMENTARY("A row has characters that the store replaces for this session."),
    LONG_REPLY("Its rows together are longer than a sixteenth of limits.memory."),

    // Writes, loads and lines
    NOT_WORTH(
            "Its line was missing, and loads of this table do not pay, or it is one of the few reads by which that is measured."),
    REPLY_IS_LOAD("Its line was missing: the store's reply to it became the line."),
    FENCED("A write to its rows, or to the table, is under way."),
    OVERTAKEN("A write came between the lines that it reads."),
    OTHER_MOMENT("Its rows may be of another moment than what its transaction has read."),
    MANY_LINES("It lacks more lines than it is worth to load one by one."),
    LOAD_FAILED("A line could not be loaded: the store failed, or did not answer in time."),
    LOADS_BUSY("As many loads are under way as may be."),
    LOAD_WAITERS("The load of its line has as many waiters as it may."),
    LOAD_TOO_OLD("The load of its line began too long ago for this read."),
    LOAD_SPLIT("Its prefix is kept in ranges, and no single one holds all that was asked for."),
    TOO_BIG("Its rows cannot be kept: they are too many or too big for a line, or not as the key says."),
    PIPELINED("It is not the first statement of its reply.");

    private final String sentence;

    MissReason(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }

    /** Returns the reason for a refusal of the cache. */
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
