package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Set;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TriggerText;
import org.keyline.planner.WriteScope;

/**
 * A base table as one reading found it. Immutable.
 *
 * @param schema its definition, whose table id is not assigned yet (0)
 * @param fingerprint of everything that the store reports on columns, indexes and engine, including
 *     properties that the schema lacks; excludes the write scope and the storage of rows
 * @param ownScope the write scope by the table's own definition; that of the schema also considers
 *     other tables
 * @param cascadesFrom tables, existing or not, from which writes cascade into this table; by the
 *     store's rule of letter case
 */
record ListedTable(TableSchema schema, String fingerprint, WriteScope ownScope, Set<TableName> cascadesFrom) {
    ListedTable {
        requireNonNull(schema, "schema is null");
        requireNonNull(fingerprint, "fingerprint is null");
        requireNonNull(ownScope, "ownScope is null");
        cascadesFrom = Set.copyOf(cascadesFrom);
    }

    /** Creates a table into which no write cascades. */
    ListedTable(TableSchema schema, String fingerprint) {
        this(schema, fingerprint, schema.writeScope(), Set.of());
    }

    /**
     * Returns a copy with these triggers instead of its own. With triggers, statements may change
     * more cells than they assign.
     */
    ListedTable with(List<TriggerText> triggers) {
        if (schema.triggers().equals(triggers)) {
            return this;
        }
        WriteScope reach = ownScope == WriteScope.CELLS ? WriteScope.ROWS : ownScope;
        TableSchema triggering = new TableSchema(
                schema.name(),
                schema.id(),
                schema.model(),
                schema.columns(),
                schema.keyColumns(),
                schema.bucketColumns(),
                schema.comment(),
                schema.properties(),
                schema.writeScope() == WriteScope.CELLS ? WriteScope.ROWS : schema.writeScope(),
                triggers);
        return new ListedTable(triggering, fingerprint, reach, cascadesFrom);
    }

    /** Returns a copy whose writes do or do not cascade to other tables. */
    ListedTable cascading(boolean others) {
        WriteScope reach = others ? WriteScope.ANYWHERE : ownScope;
        return schema.writeScope() == reach
                ? this
                : new ListedTable(Snapshot.identified(schema, schema.id(), reach), fingerprint, ownScope, cascadesFrom);
    }
}
