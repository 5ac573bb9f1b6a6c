package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Set;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TriggerText;
import org.keyline.planner.WriteReach;

/**
 * A base table as one reading found it. Immutable.
 *
 * @param schema with id 0
 * @param fingerprint of everything that the store reports on columns, indexes and engine, including
 *     what the schema does not model; excludes the write scope and the storage of rows
 * @param ownReach the write scope by the table's own definition; the schema's also considers other
 *     tables
 * @param reachedFrom tables, existing or not, from which writes cascade into this one; by the
 *     store's rule of letter case
 */
record ListedTable(TableSchema schema, String fingerprint, WriteReach ownReach, Set<TableName> reachedFrom) {
    ListedTable {
        requireNonNull(schema, "schema is null");
        requireNonNull(fingerprint, "fingerprint is null");
        requireNonNull(ownReach, "ownReach is null");
        reachedFrom = Set.copyOf(reachedFrom);
    }

    /** Creates a table into which no write cascades. */
    ListedTable(TableSchema schema, String fingerprint) {
        this(schema, fingerprint, schema.writeReach(), Set.of());
    }

    /**
     * Returns a copy with these triggers in place of its own; statements then may change more cells
     * than they assign.
     */
    ListedTable with(List<TriggerText> triggers) {
        if (schema.triggers().equals(triggers)) {
            return this;
        }
        WriteReach reach = ownReach == WriteReach.CELLS ? WriteReach.ROWS : ownReach;
        TableSchema triggering = new TableSchema(
                schema.name(),
                schema.id(),
                schema.model(),
                schema.columns(),
                schema.keyColumns(),
                schema.bucketColumns(),
                schema.comment(),
                schema.properties(),
                schema.writeReach() == WriteReach.CELLS ? WriteReach.ROWS : schema.writeReach(),
                triggers);
        return new ListedTable(triggering, fingerprint, reach, reachedFrom);
    }

    /** Returns a copy whose writes do or do not cascade to other tables. */
    ListedTable reaching(boolean others) {
        WriteReach reach = others ? WriteReach.ANYWHERE : ownReach;
        return schema.writeReach() == reach
                ? this
                : new ListedTable(Snapshot.identified(schema, schema.id(), reach), fingerprint, ownReach, reachedFrom);
    }
}
