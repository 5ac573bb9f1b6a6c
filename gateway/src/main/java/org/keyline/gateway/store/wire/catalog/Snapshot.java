package org.keyline.gateway.store.wire.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteReach;

/** All tables at one moment, to be looked up by name. Immutable. */
final class Snapshot {
    /** Nothing is known: every table is forwarded. */
    static final Snapshot NOTHING = new Snapshot(Map.of(), true, NameRule.EXACT);

    private final Map<TableName, TableSchema> tables;
    private final boolean storedFunctions;
    private final NameRule names;

    private Snapshot(Map<TableName, TableSchema> tables, boolean storedFunctions, NameRule names) {
        this.tables = tables;
        this.storedFunctions = storedFunctions;
        this.names = names;
    }

    /**
     * The tables of a reading. A definition that was there before keeps its id.
     *
     * @param known ids by fingerprint and name, brought up to date here
     * @param fresh makes ids that no table ever had
     */
    static Snapshot of(Reading reading, Map<TableName, KnownId> known, LongSupplier fresh) {
        known.keySet().retainAll(reading.tables().keySet());
        Map<TableName, TableSchema> tables = new HashMap<>();
        Set<TableName> ambiguous = new HashSet<>();
        reading.tables().forEach((name, listed) -> {
            KnownId id = known.get(name);
            if (id == null || !id.fingerprint().equals(listed.fingerprint())) {
                id = new KnownId(listed.fingerprint(), fresh.getAsLong());
                known.put(name, id);
            }
            TableName key = reading.names().key(name);
            if (tables.put(
                            key,
                            identified(listed.schema(), id.id(), listed.schema().writeReach()))
                    != null) {
                ambiguous.add(key);
            }
        });
        tables.keySet().removeAll(ambiguous);
        return new Snapshot(tables, reading.storedFunctions(), reading.names());
    }

    /** The id that a definition got. Immutable. */
    record KnownId(String fingerprint, long id) {}

    @Nullable
    TableSchema table(String schema, String table) {
        return tables.get(names.key(schema, table));
    }

    boolean storedFunctions() {
        return storedFunctions;
    }

    int size() {
        return tables.size();
    }

    /**
     * The same while definitions of some tables change: these are not known, and writes to any other may reach everywhere, since
     * the change may give it a cascade.
     */
    Snapshot changing(Collection<TableName> changed) {
        Set<TableName> gone = new HashSet<>();
        changed.forEach(name -> gone.add(names.key(name)));
        Map<TableName, TableSchema> rest = new HashMap<>();
        tables.forEach((key, schema) -> {
            if (!gone.contains(key)) {
                rest.put(key, identified(schema, schema.id(), WriteReach.ANYWHERE));
            }
        });
        return new Snapshot(rest, true, names);
    }

    private static TableSchema identified(TableSchema schema, long id, WriteReach reach) {
        return new TableSchema(
                schema.name(),
                id,
                schema.model(),
                schema.columns(),
                schema.keyColumns(),
                schema.bucketColumns(),
                schema.comment(),
                schema.properties(),
                reach);
    }
}
