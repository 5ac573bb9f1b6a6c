package org.keyline.stores.duckdb.reply;

import org.keyline.protocol.codec.RowWriter;

/** One row, ready to be written cell by cell. */
@FunctionalInterface
public interface RowSource {
    /** Writes every cell, from left to right. */
    void write(RowWriter cells);
}
