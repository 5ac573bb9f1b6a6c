package org.keyline.gateway.store.wire.catalog;

import static java.util.Objects.requireNonNull;

import org.keyline.planner.TableSchema;

/**
 * A base table as one reading found it. Immutable.
 *
 * @param schema with id 0
 * @param fingerprint of everything that the store says of columns, indexes and engine, also of what the schema has no place
 *     for; how far writes reach is not in it, nor how rows are stored
 */
record ListedTable(TableSchema schema, String fingerprint) {
    ListedTable {
        requireNonNull(schema, "schema is null");
        requireNonNull(fingerprint, "fingerprint is null");
    }
}
