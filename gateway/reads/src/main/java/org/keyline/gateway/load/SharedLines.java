package org.keyline.gateway.load;

import org.keyline.gateway.table.CachedTable;
import org.keyline.rowcache.Loader;

/** The lines that gateways share. Confined to one event loop. */
public interface SharedLines {
    boolean shares(CachedTable table);

    /** Asks for the shared line first, then the store, and shares the store's rows. */
    Loader loader(CachedTable table, boolean binary, Loader store);

    /** Reloads a line before it expires: ignores shared rows that are not much younger. */
    Loader ahead(CachedTable table, boolean binary, Loader store);
}
