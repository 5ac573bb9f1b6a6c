package org.duckdb;

import java.nio.ByteBuffer;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A column of the current chunk of a result. Its values are adjacent in DuckDB's memory and
 * readable until the next chunk. Used by one thread at a time.
 */
@NullMarked
public final class ChunkColumn {
    /** Strings and blobs of up to this length are in the column itself, after a length field. */
    private static final int INLINE_BYTES = 12;

    private final String type;
    private final int width;
    private final int scale;
    private final ByteBuffer data;
    private final @Nullable ByteBuffer validity;

    ChunkColumn(String type, int width, int scale, ByteBuffer data, @Nullable ByteBuffer validity) {
        this.type = type;
        this.width = width;
        this.scale = scale;
        this.data = data;
        this.validity = validity;
    }

    /** Returns DuckDB's name of the type, such as {@code HUGEINT}. */
    public String type() {
        return type;
    }

    public int width() {
        return width;
    }

    /** Returns the number of digits after the point of a DECIMAL. */
    public int scale() {
        return scale;
    }

    /** Returns the memory of the values from the first row on, in the machine's byte order. */
    public ByteBuffer data() {
        return data;
    }

    public boolean isNull(int row) {
        ByteBuffer bits = validity;
        return bits != null && (bits.getLong(row / Long.SIZE * Long.BYTES) >>> row % Long.SIZE & 1) == 0;
    }

    public int length(int row) {
        return data.getInt(row * width);
    }

    /** Returns a copy of a blob, or of a string in UTF-8. */
    public byte[] bytes(int row) {
        int length = length(row);
        if (length > INLINE_BYTES) {
            return DuckDBBindings.duckdb_vector_get_string(data, row);
        }
        byte[] copy = new byte[length];
        data.get(row * width + Integer.BYTES, copy, 0, length);
        return copy;
    }
}
