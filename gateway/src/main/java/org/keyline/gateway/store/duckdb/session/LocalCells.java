package org.keyline.gateway.store.duckdb.session;

import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.codec.RowWriter;

/** Cells of rows that are made here. */
final class LocalCells {
    private LocalCells() {}

    static void write(ColumnDefinition column, @Nullable String value, RowWriter cells) {
        if (value == null) {
            cells.nullCell();
        } else if (column.type() == ColumnType.LONGLONG) {
            cells.int64(Long.parseLong(value));
        } else {
            cells.string(value);
        }
    }
}
