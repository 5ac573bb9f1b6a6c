package org.keyline.stores.duckdb.session;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The next AUTO_INCREMENT value of each table that has one. A value is never given twice while the process lives; after a
 * start the next is above the highest in the table. Thread-safe.
 */
public final class AutoIncrements {
    private final Map<String, AtomicLong> highest = new ConcurrentHashMap<>();

    /**
     * Takes the next value.
     *
     * @param inTable answers the highest value in the table, 0 if it is empty; asked once
     */
    long next(String table, LongSupplier inTable) {
        return counter(table, inTable).incrementAndGet();
    }

    /** An explicit value was stored. */
    void used(String table, long value, LongSupplier inTable) {
        counter(table, inTable).accumulateAndGet(value, Math::max);
    }

    private AtomicLong counter(String table, LongSupplier inTable) {
        return highest.computeIfAbsent(table, name -> new AtomicLong(Math.max(0, inTable.getAsLong())));
    }
}
