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
 * @param fingerprint of everything that the store says of columns, indexes and engine, also of what the schema has no place
 *     for; how far writes reach is not in it, nor how rows are stored
 * @param ownReach how far writes to it reach by what it says itself; the schema's also has what other tables say
 * @param reachedFrom tables, there or not, writes to which cascade into this one; by the store's rule of letter case
 */
record ListedTable(TableSchema schema, String fingerprint, WriteReach ownReach, Set<TableName> reachedFrom) {
    ListedTable {
        requireNonNull(schema, "schema is null");
        requireNonNull(fingerprint, "fingerprint is null");
        requireNonNull(ownReach, "ownReach is null");
        reachedFrom = Set.copyOf(reachedFrom);
    }

    /** A table that no write to another one reaches. */
    ListedTable(TableSchema schema, String fingerprint) {
        this(schema, fingerprint, schema.writeReach(), Set.of());
    }

    /** The same table with these triggers, in place of those that it had; its cells are not for certain what statements assign. */
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

    /** The same table where others say, or say no more, that writes to it reach them. */
    ListedTable reaching(boolean others) {
        WriteReach reach = others ? WriteReach.ANYWHERE : ownReach;
        return schema.writeReach() == reach
                ? this
                : new ListedTable(Snapshot.identified(schema, schema.id(), reach), fingerprint, ownReach, reachedFrom);
    }
}
