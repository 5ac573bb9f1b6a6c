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
 * Accounts for the memory of texts that functions build in the running statement of a connection.
 * DuckDB does not count these texts, of which each of its threads holds up to 2,048 at once.
 * Statements therefore pass a text's length to the SQL function {@code keyline_hold} before they
 * build the text. Thread-safe, because DuckDB's threads call it.
 */
final class BuiltTexts {
    /** The maximum length of a text in bytes, equal to {@code max_allowed_packet}. */
    static final long MAX_BYTES = 64L << 20;

    /** The positions of the parameters of the function {@code keyline_hold}. */
    private static final int NUMBER = 0;

    private static final int COPIES = 1;
    private static final int LENGTH = 2;
    private static final int CONNECTION = 3;

    /**
     * The memory budget for built texts and long values in open results, which all connections
     * share. DuckDB does not count the values of a result. The reply to a client that does not read
     * occupies a chunk of up to 2,048 rows. Thread-safe.
     */
    static final class Memory {
        /** Result chunks with fewer bytes of text are not counted. */
        static final long LEAST_BYTES = 64 << 10;

        private final long limit;
        private final AtomicLong used = new AtomicLong();

        Memory(long limit) {
            this.limit = limit;
        }

        /**
         * Takes bytes from the budget.
         *
         * @throws SQLException if the budget has fewer bytes left; then no bytes are taken
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

    /** The maximum number of chunks of one text that exist at once: one for each thread. */
    private final int chunks;

    /**
     * Maps the number of each text in the statement to the bytes of its largest chunks so far, at
     * most one chunk for each thread. The bytes are an upper bound, because DuckDB does not report
     * which chunks still exist. Guarded by itself.
     */
    private final Map<Integer, Queue<Long>> held = new HashMap<>();

    private volatile @Nullable SQLException refused;

    BuiltTexts(Memory memory, int threads) {
        this.memory = memory;
        this.chunks = threads;
    }

    /**
     * Registers the SQL function {@code keyline_hold(number, copies, length, connection)}. The
     * function returns true. It fails if a text is too long, or if the texts of a chunk need more
     * memory than is left.
     *
     * @param open maps the number in a connection's variable {@code keyline_connection} to the
     *     texts of this connection
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
     * Returns the error with which {@code keyline_hold} refused a text; {@code failure} if it
     * refused none. DuckDB does not always report the error of this function.
     */
    SQLException cause(SQLException failure) {
        @Nullable SQLException first = refused;
        return first == null ? failure : first;
    }

    /** Releases the memory of the statement's texts. Returns the number of released bytes. */
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
