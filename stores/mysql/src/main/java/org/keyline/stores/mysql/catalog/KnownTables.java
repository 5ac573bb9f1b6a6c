package org.keyline.stores.mysql.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/**
 * The tables of the last reading with their ids. Confined to one thread.
 *
 * <p>A definition that was there before keeps its id, and as long as nobody told that it may have changed, its object as well: what was
 * learned of a table belongs to the object.
 */
final class KnownTables {
    /** A table as it was read, and with its id. Immutable. */
    private record Known(ListedTable listed, TableSchema schema) {}

    private final Map<TableName, Known> tables = new HashMap<>();
    private long lastId;

    /** What is known of these tables holds no more, even if they are read as they were. */
    void forget(Collection<TableName> names) {
        tables.keySet().removeAll(names);
    }

    /** All tables but these may have changed, and changed back: what was learned of them holds no more. */
    void doubtAllBut(Set<TableName> certain) {
        tables.replaceAll((name, known) -> certain.contains(name) ? known : renewed(known));
    }

    /** These tables may have changed, and changed back. */
    void doubt(Collection<TableName> names) {
        names.forEach(name -> tables.computeIfPresent(name, (at, known) -> renewed(known)));
    }

    private static Known renewed(Known known) {
        return new Known(
                known.listed(), identified(known.listed(), known.schema().id()));
    }

    private static TableSchema identified(ListedTable listed, long id) {
        return Snapshot.identified(listed.schema(), id, listed.schema().writeReach());
    }

    /** The tables of a reading. */
    Snapshot snapshot(Reading reading) {
        tables.keySet().retainAll(reading.tables().keySet());
        reading.tables().forEach((name, listed) -> {
            Known known = tables.get(name);
            if (known == null || !known.listed().fingerprint().equals(listed.fingerprint())) {
                tables.put(name, new Known(listed, identified(listed, ++lastId)));
            } else if (!known.listed().equals(listed)) {
                tables.put(
                        name,
                        new Known(listed, identified(listed, known.schema().id())));
            }
        });
        Map<TableName, TableSchema> schemas = new HashMap<>();
        tables.forEach((name, known) -> schemas.put(name, known.schema()));
        return Snapshot.of(schemas, reading);
    }
}
