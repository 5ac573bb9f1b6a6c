package org.keyline.gateway.signal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.keyline.gateway.table.TableOrigin;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/** Digests of definitions, by which gateways know whether they mean the same by a row. Thread-safe. */
final class SchemaHashes {
    private static final int MAX_TABLES = 10_000;

    private record Known(long id, long hash) {}

    private final Map<TableName, Known> hashes = new ConcurrentHashMap<>();

    long of(TableSchema schema) {
        Known known = hashes.get(schema.name());
        if (known == null || known.id() != schema.id()) {
            if (hashes.size() >= MAX_TABLES) {
                hashes.clear();
            }
            known = new Known(schema.id(), TableOrigin.schemaHash(schema));
            hashes.put(schema.name(), known);
        }
        return known.hash();
    }
}
