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
 * <p>A table retains its id while its definition is unchanged. It also retains its
 * {@link TableSchema} object until a statement may have changed the definition, because the table's
 * statistics belong to this object.
 */
final class KnownTables {
    private record Known(ListedTable listed, TableSchema schema) {}

    private final Map<TableName, Known> tables = new HashMap<>();
    private long lastId;

    /** Forgets tables. The next reading gives them new ids and objects, even if nothing changed. */
    void forget(Collection<TableName> names) {
        tables.keySet().removeAll(names);
    }

    /** Gives new objects to the other tables, because they may have changed and changed back. */
    void doubtAllBut(Set<TableName> unchanged) {
        tables.replaceAll((name, known) -> unchanged.contains(name) ? known : renewed(known));
    }

    /** Gives new objects to these tables, which may have changed and changed back. */
    void doubt(Collection<TableName> names) {
        names.forEach(name -> tables.computeIfPresent(name, (at, known) -> renewed(known)));
    }

    private static Known renewed(Known known) {
        return new Known(
                known.listed(), known.listed().schema().withId(known.schema().id()));
    }

    Snapshot snapshot(Reading reading) {
        tables.keySet().retainAll(reading.tables().keySet());
        reading.tables().forEach((name, listed) -> {
            Known known = tables.get(name);
            if (known == null || !known.listed().fingerprint().equals(listed.fingerprint())) {
                tables.put(name, new Known(listed, listed.schema().withId(++lastId)));
            } else if (!known.listed().equals(listed)) {
                tables.put(
                        name,
                        new Known(listed, listed.schema().withId(known.schema().id())));
            }
        });
        Map<TableName, TableSchema> schemas = new HashMap<>();
        tables.forEach((name, known) -> schemas.put(name, known.schema()));
        return Snapshot.of(schemas, reading);
    }
}
