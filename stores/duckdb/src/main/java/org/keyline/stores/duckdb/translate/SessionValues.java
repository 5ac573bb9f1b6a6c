package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.Nullable;

/** What a session answers for the parameters that are not in the statement. */
public interface SessionValues {

    /**
     * The value now: Long, BigInteger, BigDecimal, Double, String, byte[], LocalDate, LocalDateTime, Duration, or null for NULL.
     *
     * @param source any but SLOT and AUTO_INCREMENT
     * @param name of the variable in lower case; empty for other sources
     */
    @Nullable
    Object value(Parameter.Source source, String name);

    /** Whether a 0 for the AUTO_INCREMENT column is a value like any other: NO_AUTO_VALUE_ON_ZERO. */
    boolean zeroIsAValue();

    /** The next AUTO_INCREMENT value of the statement's target. */
    long nextAutoIncrement();

    /** An explicit value was given for the AUTO_INCREMENT column: the next ones must be above it. */
    void autoIncrementUsed(long value);
}
