package org.keyline.gateway.store.duckdb.meta;

import java.time.LocalDateTime;
import org.keyline.planner.TableSchema;
import org.keyline.planner.ddl.TableDefinition;
import org.keyline.planner.translate.Relations.Relation;

/**
 * A table that exists. Immutable.
 *
 * @param id of this definition
 * @param created in UTC
 */
public record StoredTable(
        TableDefinition definition, long id, LocalDateTime created, TableSchema schema, Relation relation) {
    static StoredTable of(TableDefinition definition, long id, LocalDateTime created) {
        return new StoredTable(definition, id, created, definition.toSchema(id), Relation.of(definition));
    }
}
