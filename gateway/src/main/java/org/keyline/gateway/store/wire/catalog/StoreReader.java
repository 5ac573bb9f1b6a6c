package org.keyline.gateway.store.wire.catalog;

/** Reads all definitions of a store of one dialect. Confined to one thread. */
interface StoreReader {
    /** Reads them all. */
    Reading read(CatalogRows rows) throws ReadFailure;

    /** What reads the definitions of a dialect. */
    static StoreReader of(Dialect dialect) {
        return switch (dialect) {
            case MYSQL, MARIADB -> new SchemaReader(dialect);
            case DORIS, STARROCKS -> new DdlCatalogReader(dialect);
        };
    }
}
