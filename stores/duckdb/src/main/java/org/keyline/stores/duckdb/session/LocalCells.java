package org.keyline.stores.duckdb.session;

import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.codec.RowWriter;
import org.keyline.stores.duckdb.reply.Latin1Text;

/** The cells of rows that the store makes itself. */
final class LocalCells {
    private LocalCells() {}

    /** @param charset the character set of text; null for UTF-8 */
    static void write(ColumnDefinition column, @Nullable String value, @Nullable Charset charset, RowWriter cells) {
        if (value == null) {
            cells.nullCell();
        } else if (column.type() == ColumnType.LONGLONG) {
            cells.int64(Long.parseLong(value));
        } else if (charset != null) {
            byte[] bytes = Latin1Text.encode(value, charset);
            cells.bytes(bytes, 0, bytes.length);
        } else {
            cells.string(value);
        }
    }
}
