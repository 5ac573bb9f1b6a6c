package org.keyline.stores.duckdb.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBReadableVector;
import org.duckdb.DuckDBScalarFunctionBuilder;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the texts that functions make in the running statement of a connection. DuckDB
 * holds the texts of up to 2,048 rows at once, in each of its threads, and does not count them as
 * memory. So statements call {@code keyline_hold} before each text. Thread-safe: DuckDB's threads
 * call it.
 */
final class BuiltTexts {
    /** The maximum length of a text, as {@code max_allowed_packet}. */
    static final long MAX_BYTES = 64L << 20;

    /** The positions of the parameters of the function {@code keyline_hold}. */
    private static final int NUMBER = 0;

    private static final int COPIES = 1;
    private static final int LENGTH = 2;
    private static final int CONNECTION = 3;

    /**
     * The memory of texts and of long values in open results. DuckDB does not count values in a
     * result, and a client that does not read its reply holds a chunk of up to 2,048 rows.
     * Thread-safe.
     */
    static final class Memory {
        /** Chunks with fewer bytes are not counted. */
        static final long LEAST_BYTES = 64 << 10;

        private final long limit;
        private final AtomicLong used = new AtomicLong();

        Memory(long limit) {
            this.limit = limit;
        }

        /**
         * Takes memory.
         *
         * @throws SQLException if the limit would be exceeded; then no memory is taken
         */
        void take(long bytes) throws SQLException {
            if (used.addAndGet(bytes) > limit) {
                used.addAndGet(-bytes);
                throw new SQLException(
                        "Out of Memory Error: the texts of running statements, and results that clients have not read"
                                + " yet, use " + used.get() + " of " + limit
                                + " bytes (raise store.duckdb.memory); this statement needs "
                                + bytes
                                + " more");
            }
        }

        void give(long bytes) {
            used.addAndGet(-bytes);
        }
    }

    private final Memory memory;

    /** The maximum number of chunks of one text: one in each thread of a statement. */
    private final int chunks;

    /**
     * The bytes of the largest chunks of each text, by the number of the text, the smallest chunk
     * first. DuckDB does not report which chunks still exist; these are an upper bound. Guarded by
     * itself.
     */
    private final Map<Integer, Queue<Long>> held = new HashMap<>();

    private volatile @Nullable SQLException refused;

    BuiltTexts(Memory memory, int threads) {
        this.memory = memory;
        this.chunks = threads;
    }

    /**
     * Adds {@code keyline_hold(number, copies, length, connection)} to DuckDB. This function returns
     * true. It fails if a text is too long, or if the texts of its chunk need more memory than is
     * left.
     *
     * @param open the texts of the open connections, by the number in the variable
     *     {@code keyline_connection}
     */
    static void register(Connection root, Map<Long, BuiltTexts> open) throws SQLException {
        try (DuckDBScalarFunctionBuilder function = DuckDBFunctions.scalarFunction()) {
            function.withName("keyline_hold")
                    .withParameters(
                            DuckDBColumnType.INTEGER,
                            DuckDBColumnType.INTEGER,
                            DuckDBColumnType.BIGINT,
                            DuckDBColumnType.BIGINT)
                    .withReturnType(DuckDBColumnType.BOOLEAN)
                    .withVectorizedFunction((in, out) -> {
                        if (in.rowCount() > 0) {
                            @Nullable
                            BuiltTexts texts = open.get(in.vector(CONNECTION).getLong(0));
                            if (texts != null) {
                                texts.hold(in, out);
                            }
                        }
                    })
                    .register(root);
        }
    }

    private void hold(DuckDBDataChunkReader in, DuckDBWritableVector fits) throws SQLException {
        DuckDBReadableVector lengths = in.vector(LENGTH);
        long bytes = 0;
        for (long row = 0; row < in.rowCount(); row++) {
            long length = lengths.isNull(row) ? 0 : lengths.getLong(row);
            if (length > MAX_BYTES) {
                SQLException error = new SQLException("keyline 1301 HY000 Result of a function may have " + length
                        + " bytes, more than max_allowed_packet (" + MAX_BYTES + ")");
                refused = error;
                throw error;
            }
            fits.setBoolean(row, true);
            bytes += length;
        }
        take(in.vector(NUMBER).getInt(0), bytes * in.vector(COPIES).getInt(0));
    }

    private void take(int text, long bytes) throws SQLException {
        synchronized (held) {
            Queue<Long> largest = held.computeIfAbsent(text, number -> new PriorityQueue<>());
            Long smallest = largest.size() < chunks ? null : largest.peek();
            if (smallest != null && smallest >= bytes) {
                return;
            }
            try {
                memory.take(smallest == null ? bytes : bytes - smallest);
            } catch (SQLException e) {
                refused = e;
                throw e;
            }
            if (smallest != null) {
                largest.remove();
            }
            largest.add(bytes);
        }
    }

    void begin() {
        refused = null;
    }

    /**
     * Returns the cause of a failure. DuckDB does not always report that the memory for texts was
     * exceeded.
     */
    SQLException cause(SQLException failure) {
        @Nullable SQLException first = refused;
        return first == null ? failure : first;
    }

    /** Releases the statement's memory; returns its size. */
    long release() {
        long bytes;
        synchronized (held) {
            bytes = held.values().stream()
                    .flatMap(Queue::stream)
                    .mapToLong(Long::longValue)
                    .sum();
            held.clear();
        }
        memory.give(bytes);
        return bytes;
    }
}
