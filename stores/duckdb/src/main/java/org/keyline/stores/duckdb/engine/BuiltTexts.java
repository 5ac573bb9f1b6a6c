package org.keyline.stores.duckdb.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBReadableVector;
import org.duckdb.DuckDBScalarFunctionBuilder;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;

/**
 * The texts that functions make in the running statement of one connection. DuckDB has those of up to 2,048 rows at once, in
 * each of its threads, and does not count them against its memory. So statements call {@code keyline_hold} before it makes
 * them. Thread-safe: DuckDB's threads call it.
 */
final class BuiltTexts {
    /** The longest text, as {@code max_allowed_packet}. */
    static final long MAX_BYTES = 64L << 20;

    private static final int MAX_WARNINGS = 1024;

    /** Of {@code keyline_hold}. */
    private static final int FUNCTION = 0;

    private static final int NUMBER = 1;
    private static final int COPIES = 2;
    private static final int LENGTH = 3;
    private static final int CONNECTION = 4;

    /**
     * Long values of all results that are being read. DuckDB does not count them once they are in a result, and a client that does not read
     * its reply holds a chunk of up to 2,048 rows there. Thread-safe.
     */
    static final class Memory {
        /** Shorter chunks are not counted. */
        static final long LEAST_BYTES = 64 << 10;

        private final long limit;
        private final AtomicLong used = new AtomicLong();

        Memory(long limit) {
            this.limit = limit;
        }

        /** @throws SQLException where there is no room; then nothing is taken */
        void take(long bytes) throws SQLException {
            if (used.addAndGet(bytes) > limit) {
                used.addAndGet(-bytes);
                throw new SQLException(
                        "Out of Memory Error: texts that statements make, and results that clients have not read yet,"
                                + " hold " + used.get() + " bytes, of " + limit + " (store.duckdb.memory allows it); "
                                + bytes
                                + " more are needed");
            }
        }

        void give(long bytes) {
            used.addAndGet(-bytes);
        }
    }

    private final Memory memory;

    /** The bytes of each text in the chunk at hand, by the thread and the number of the text. */
    private final Map<Long, Long> held = new ConcurrentHashMap<>();

    /** Guarded by itself. */
    private final List<String> truncated = new ArrayList<>();

    private volatile @Nullable SQLException refused;

    BuiltTexts(Memory memory) {
        this.memory = memory;
    }

    /**
     * Adds {@code keyline_hold(function, number, copies, length, connection)} to DuckDB. It answers whether a text may be made,
     * and fails if the texts of its chunk take more memory than is left.
     *
     * @param open those of the open connections, by the number that each has in its variable {@code keyline_connection}
     */
    static void register(Connection root, Map<Long, BuiltTexts> open) throws SQLException {
        try (DuckDBScalarFunctionBuilder function = DuckDBFunctions.scalarFunction()) {
            function.withName("keyline_hold")
                    .withParameters(
                            DuckDBColumnType.VARCHAR,
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
            boolean fit = length <= MAX_BYTES;
            fits.setBoolean(row, fit);
            bytes += fit ? length : 0;
            if (!fit) {
                truncated(in.vector(FUNCTION).getString(row), length);
            }
        }
        long key = Thread.currentThread().getId() << Integer.SIZE
                | in.vector(NUMBER).getInt(0);
        take(key, bytes * in.vector(COPIES).getInt(0));
    }

    private void take(long key, long bytes) throws SQLException {
        Long before = held.put(key, bytes);
        long more = bytes - (before == null ? 0 : before);
        if (more <= 0) {
            memory.give(-more);
            return;
        }
        try {
            memory.take(more);
        } catch (SQLException e) {
            held.put(key, bytes - more);
            refused = e;
            throw e;
        }
    }

    /** @param function empty if the text may be shorter than its length says */
    private void truncated(String function, long length) throws SQLException {
        if (function.isEmpty()) {
            SQLException error =
                    new SQLException("keyline 1235 42000 This store doesn't support functions whose text may" + " have "
                            + length + " bytes (max_allowed_packet: " + MAX_BYTES + ")");
            refused = error;
            throw error;
        }
        synchronized (truncated) {
            if (truncated.size() < MAX_WARNINGS) {
                truncated.add(function);
            }
        }
    }

    /** A statement begins. */
    void begin() {
        refused = null;
        truncated();
    }

    /** Returns the functions whose results were too long since the last call, each as often as that happened. */
    List<String> truncated() {
        synchronized (truncated) {
            List<String> functions = List.copyOf(truncated);
            truncated.clear();
            return functions;
        }
    }

    /** Returns why the statement failed, as DuckDB does not always say: a lack of room for its texts, else the failure itself. */
    SQLException cause(SQLException failure) {
        @Nullable SQLException first = refused;
        return first == null ? failure : first;
    }

    /** Gives back what the statement held. Returns how much that was. */
    long release() {
        long bytes = held.values().stream().mapToLong(Long::longValue).sum();
        held.clear();
        memory.give(bytes);
        return bytes;
    }
}
