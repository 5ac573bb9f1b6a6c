package org.keyline.stores.duckdb.meta;

import java.time.LocalDateTime;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.Relations.Relation;

/**
 * A table of the store. Immutable.
 *
 * @param id the id of this definition; changes of the definition and TRUNCATE assign a new id
 * @param created the time of creation in UTC
 */
public record StoredTable(
        TableDefinition definition, long id, LocalDateTime created, TableSchema schema, Relation relation) {
    static StoredTable of(TableDefinition definition, long id, LocalDateTime created) {
        return new StoredTable(definition, id, created, schema(definition, id), Relation.of(definition));
    }

    /** Returns the schema with the collation by which this store compares all text. */
    private static TableSchema schema(TableDefinition definition, long id) {
        TableSchema schema = definition.toSchema(id);
        // The store has no triggers, generated columns or foreign keys. So only ON UPDATE changes
        // cells that a statement does not name.
        boolean derives = definition.columns().stream().anyMatch(column -> column.onUpdate() != null);
        boolean settled = !derives && definition.flavour() == TableDefinition.Flavour.MYSQL;
        return new TableSchema(
                schema.name(),
                schema.id(),
                schema.model(),
                schema.columns().stream().map(StoredTable::collated).toList(),
                schema.keyColumns(),
                schema.bucketColumns(),
                schema.comment(),
                schema.properties(),
                settled && schema.writeScope() == WriteScope.ROWS ? WriteScope.CELLS : schema.writeScope());
    }

    private static ColumnSchema collated(ColumnSchema column) {
        ColumnType type = column.type();
        return switch (type.kind()) {
            case CHAR, VARCHAR, TEXT, ARRAY ->
                new ColumnSchema(
                        column.name(),
                        new ColumnType(
                                type.kind(), type.unsigned(), type.length(), type.scale(), InformationSchema.COLLATION),
                        column.nullable(),
                        column.defaultSql(),
                        column.autoIncrement(),
                        column.comment());
            default -> column;
        };
    }
}
