package org.keyline.rowcache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A table whose lines are adjacent ranges of keys. Fences close rows by their keys. */
final class RangeTable extends LineTable {
    /** The empty prefix, whose slot is the table's only slot. */
    private final Slot.Prefix all = prefix(Bytes.NONE, 0, 0);

    RangeTable(
            RowCache cache,
            long id,
            TableOptions options,
            TableStats stats,
            @Nullable FilterTable filters,
            int closers) {
        super(cache, id, options, stats, filters, closers);
    }

    @Override
    public boolean isRanged() {
        return true;
    }

    @Override
    public int fencedEnd(KeyEncoder key) {
        return key.length();
    }

    @Override
    void drop(byte[] key, int from, int to) {
        if (from < to) {
            slots().flushKey(all, Arrays.copyOfRange(key, from, to));
        } else {
            slots().flush(all);
        }
    }

    @Override
    void closeRows(Slot.Prefix prefix) {
        if (prefix.bytes().length > 0) {
            slots().closeKey(all, prefix.bytes());
        } else {
            slots().close(all);
        }
    }

    @Override
    void openRows(Slot.Prefix prefix) {
        if (prefix.bytes().length > 0) {
            slots().openKey(all, prefix.bytes());
        } else {
            slots().open(all);
        }
    }
}
