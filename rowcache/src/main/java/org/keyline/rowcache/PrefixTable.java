package org.keyline.rowcache;

import org.jspecify.annotations.Nullable;

/** Lines that have all rows under a prefix of the key. */
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
