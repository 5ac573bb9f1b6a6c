package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Long values of all results that are being read. DuckDB does not count them once they are in a result, and a client that does not read
 * its reply holds a chunk of up to 2,048 rows there. Thread-safe.
 */
final class ResultMemory {
    /** Shorter chunks are not counted. */
    static final long LEAST_BYTES = 64 << 10;

    private final long limit;
    private final AtomicLong used = new AtomicLong();

    ResultMemory(long limit) {
        this.limit = limit;
    }

    /** @throws SQLException where there is no room; then nothing is taken */
    void take(long bytes) throws SQLException {
        if (used.addAndGet(bytes) > limit) {
            used.addAndGet(-bytes);
            throw new SQLException("Out of Memory Error: results that clients have not read yet hold " + used.get()
                    + " bytes, of " + limit);
        }
    }

    void give(long bytes) {
        used.addAndGet(-bytes);
    }
}
