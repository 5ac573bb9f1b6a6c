package org.duckdb;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.sql.SQLException;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Reads the chunks of a streaming result in DuckDB's own memory. The driver's result set copies
 * every chunk to the heap, up to 2,048 rows of any length. The driver's chunked result copies
 * nothing, but it does not support some types, and it treats an error after the first rows as the
 * end. This class is in the driver's package to call the native functions behind the chunked
 * result. Used by one thread at a time.
 */
@NullMarked
public final class ResultChunks implements AutoCloseable {
    /** The width of a string, blob, interval or HUGEINT, used if the driver states none. */
    private static final int WIDEST_BYTES = 16;

    private static final VarHandle RESULT = resultOfChunked();

    private final DuckDBChunkedResult result;
    private @Nullable ByteBuffer chunk;
    private int rows;
    private ChunkColumn[] columns = {};

    private ResultChunks(DuckDBChunkedResult result) {
        this.result = result;
    }

    private static VarHandle resultOfChunked() {
        try {
            return MethodHandles.privateLookupIn(DuckDBChunkedResult.class, MethodHandles.lookup())
                    .findVarHandle(DuckDBChunkedResult.class, "resultRef", ByteBuffer.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Runs a statement with its bound parameters.
     *
     * @throws SQLException if the statement fails before its first rows are ready
     */
    public static ResultChunks of(DuckDBPreparedStatement statement) throws SQLException {
        return new ResultChunks(statement.query());
    }

    /**
     * Moves to the next chunk and releases the previous one. Returns false after the last chunk.
     *
     * @throws SQLException if the statement fails after its first rows
     */
    public boolean next() throws SQLException {
        release();
        ByteBuffer fetched = DuckDBBindings.duckdb_fetch_chunk((ByteBuffer) RESULT.get(result));
        if (fetched == null) {
            result.checkError();
            return false;
        }
        chunk = fetched;
        rows = Math.toIntExact(DuckDBBindings.duckdb_data_chunk_get_size(fetched));
        ChunkColumn[] read = new ChunkColumn[(int) DuckDBBindings.duckdb_data_chunk_get_column_count(fetched)];
        for (int i = 0; i < read.length; i++) {
            read[i] = column(DuckDBBindings.duckdb_data_chunk_get_vector(fetched, i));
        }
        columns = read;
        return true;
    }

    private ChunkColumn column(ByteBuffer vector) throws SQLException {
        ByteBuffer logical = DuckDBBindings.duckdb_vector_get_column_type(vector);
        String type;
        int width;
        int scale = 0;
        try {
            var known = DuckDBBindings.CAPIType.capiTypeFromTypeId(DuckDBBindings.duckdb_get_type_id(logical));
            type = known.name();
            width = (int) known.widthBytes;
            if (known == DuckDBBindings.CAPIType.DUCKDB_TYPE_DECIMAL) {
                scale = DuckDBBindings.duckdb_decimal_scale(logical);
                width = (int)
                        DuckDBBindings.CAPIType.capiTypeFromTypeId(DuckDBBindings.duckdb_decimal_internal_type(logical))
                                .widthBytes;
            }
        } finally {
            DuckDBBindings.duckdb_destroy_logical_type(logical);
        }
        int bytes = width == 0 ? WIDEST_BYTES : width;
        ByteBuffer data = DuckDBBindings.duckdb_vector_get_data(vector, (long) rows * bytes);
        ByteBuffer validity = DuckDBBindings.duckdb_vector_get_validity(vector, rows);
        return new ChunkColumn(
                type.substring("DUCKDB_TYPE_".length()),
                bytes,
                scale,
                data.order(ByteOrder.nativeOrder()),
                validity == null ? null : validity.order(ByteOrder.nativeOrder()));
    }

    /** Returns the number of rows of the current chunk; 0 before the first chunk. */
    public int rows() {
        return rows;
    }

    public ChunkColumn column(int index) {
        return columns[index];
    }

    public int columns() {
        return columns.length;
    }

    private void release() {
        ByteBuffer read = chunk;
        if (read != null) {
            chunk = null;
            rows = 0;
            columns = new ChunkColumn[0];
            DuckDBBindings.duckdb_destroy_data_chunk(read);
        }
    }

    @Override
    public void close() throws SQLException {
        release();
        result.close();
    }
}
