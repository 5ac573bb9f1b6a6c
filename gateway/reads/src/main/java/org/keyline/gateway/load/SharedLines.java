package org.keyline.gateway.load;

import org.keyline.gateway.table.CachedTable;
import org.keyline.rowcache.Loader;

/** The lines that gateways share. Confined to one event loop. */
public interface SharedLines {
    /** Returns whether gateways share lines of a table. */
    boolean shares(CachedTable table);

    /**
     * Returns a loader that asks for the shared line first, then the store, and shares the store's
     * rows.
     */
    Loader loader(CachedTable table, boolean binary, Loader store);

    /**
     * Returns such a loader for prefetches before a line expires. It ignores shared rows that are
     * not much younger than the expiring line.
     */
    Loader ahead(CachedTable table, boolean binary, Loader store);
}
