package org.keyline.gateway.load;

import org.keyline.gateway.table.CachedTable;
import org.keyline.rowcache.Loader;

/** The lines that gateways share. Confined to one event loop. */
public interface SharedLines {
    boolean shares(CachedTable table);

    /**
     * Returns a loader that first looks for a shared line. If no shared line exists, the loader
     * loads by {@code store} and shares the rows.
     */
    Loader loader(CachedTable table, boolean binary, Loader store);

    /**
     * Returns a loader that replaces a line before the line expires. The loader ignores shared rows
     * that are not much younger than the line.
     */
    Loader ahead(CachedTable table, boolean binary, Loader store);
}
