package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.Nullable;

/** The session's values for parameters that are not in the statement. */
public interface SessionValues {

    /**
     * Returns the current value: Long, BigInteger, BigDecimal, Double, String, byte[], LocalDate,
     * LocalDateTime, or null for NULL.
     *
     * @param source any source except those with a slot
     * @param name the name of the variable in lower case; empty for other sources
     */
    @Nullable
    Object value(Parameter.Source source, String name);

    /**
     * Returns whether the session's sql_mode has NO_AUTO_VALUE_ON_ZERO, with which AUTO_INCREMENT
     * columns store 0.
     */
    boolean zeroIsAValue();

    /** Returns the result of GET_LOCK: 1, or 0 after the time. A negative time is no limit. */
    long getLock(@Nullable Object name, double seconds);

    /** Returns the result of RELEASE_LOCK: 1, 0 if another session has the lock, or null. */
    @Nullable
    Long releaseLock(@Nullable Object name);

    /** Returns the next AUTO_INCREMENT value of the statement's target. */
    long nextAutoIncrement();

    /** Records an explicit value of the AUTO_INCREMENT column. Later values will be higher. */
    void autoIncrementUsed(long value);
}
