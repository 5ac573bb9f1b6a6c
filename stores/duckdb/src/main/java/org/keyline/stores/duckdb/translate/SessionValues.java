package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.Nullable;

/** The session's values for parameters that are not in the statement. */
public interface SessionValues {

    /**
     * Returns the current value: Long, BigInteger, BigDecimal, Double, String, byte[], LocalDate,
     * LocalDateTime, or null for NULL.
     *
     * @param source any source except SLOT and AUTO_INCREMENT
     * @param name the name of the variable in lower case; empty for other sources
     */
    @Nullable
    Object value(Parameter.Source source, String name);

    /**
     * Returns whether the session's sql_mode has NO_AUTO_VALUE_ON_ZERO, with which AUTO_INCREMENT
     * columns store 0.
     */
    boolean zeroIsAValue();

    /** Returns the next AUTO_INCREMENT value of the statement's target. */
    long nextAutoIncrement();

    /** Records an explicit value of the AUTO_INCREMENT column. Later values will be higher. */
    void autoIncrementUsed(long value);
}
