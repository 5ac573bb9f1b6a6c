package org.keyline.rowcache;

import org.jspecify.annotations.Nullable;

/** A table whose lines each contain all rows under one key prefix. */
final class PrefixTable extends LineTable {
    PrefixTable(
            RowCache cache,
            long id,
            TableOptions options,
            TableStats stats,
            @Nullable FilterTable filters,
            int closers) {
        super(cache, id, options, stats, filters, closers);
    }
}
