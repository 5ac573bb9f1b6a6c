package org.keyline.stores.mysql.signal;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;

/**
 * Reads the versions of tables from lists that Doris has for each database. For recently changed
 * tables, also reads the partitions.
 *
 * <p>Every load increments the version of its table. TRUNCATE creates new partitions instead, and
 * the list shows the time of the youngest partition, rounded to seconds. If a TRUNCATE and a load
 * are in the same second, only the ids of the partitions show the TRUNCATE. So the ids are
 * requested until a table has been unchanged for {@link #STABLE_NANOS}.
 */
final class TableVersions implements VersionSource {
    /** Longer than the resolution of the list's times, and longer than a TRUNCATE takes. */
    static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Interval after which database names are read again, because databases may exchange names. */
    private static final long NAMES_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Maximum number of tables per round whose partitions are requested. */
    static final int MAX_PARTITION_QUESTIONS = 4;

    private static final int MAX_REFUSALS = 3;

    private static final String DATABASES = "SHOW PROC '/dbs'";

    /** The state of a table whose rows change only by loads and TRUNCATE. */
    private static final String NORMAL = "NORMAL";

    private static final List<String> LISTED = List.of(
            "TableId",
            "IndexNum",
            "PartitionNum",
            "ReplicaCount",
            "VisibleVersion",
            "VisibleVersionTime",
            "LastUpdateTime");

    /**
     * @param listed the table's row in the list
     * @param sinceNanos the time of the first list with this row
     * @param partitions the reply to a request after {@code sinceNanos}; null before this reply
     * @param askedNanos the time of the last request for the partitions
     */
    private record Known(
            String listed, long sinceNanos, @Nullable PartitionVersions partitions, long askedNanos) {
        boolean isStable() {
            return partitions != null && askedNanos - sinceNanos >= STABLE_NANOS;
        }

        Known with(PartitionVersions asked, long nanos) {
            return new Known(listed, sinceNanos, asked, nanos);
        }
    }

    private final Dialect dialect;
    private final String user;
    private final LongSupplier clock;
    private final Map<TableName, Known> known = new HashMap<>();
    private final Map<String, Long> databases = new HashMap<>();
    private boolean checked;
    private long namedNanos;
    private int refusals;

    /**
     * @param user the user of the gateway's account, for error messages
     * @param clock in nanoseconds
     */
    TableVersions(Dialect dialect, String user, LongSupplier clock) {
        this.dialect = dialect;
        this.user = user;
        this.clock = clock;
    }

    @Override
    public Map<TableName, PartitionVersions> read(CatalogRows rows, Collection<TableName> tables)
            throws ReadFailure, SignalRefused {
        try {
            check(rows);
            return versions(rows, List.copyOf(tables), listed(rows, tables));
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            throw new SignalRefused("the versions of tables cannot be read by SHOW PROC: " + e.getMessage()
                    + ". Needed: Doris 2.1 or later, and " + dialect.grantOfPolicies(user));
        }
    }

    /** Refuses compute-storage mode, where frontends learn each other's loads only at a read. */
    private void check(CatalogRows rows) throws ReadFailure, SignalRefused {
        if (checked) {
            return;
        }
        boolean[] apart = {false};
        rows.query(
                "ADMIN SHOW FRONTEND CONFIG LIKE 'deploy_mode'", row -> apart[0] |= "cloud".equals(row.text("Value")));
        rows.query("ADMIN SHOW FRONTEND CONFIG LIKE 'cloud_unique_id'", row -> {
            String id = row.text("Value");
            apart[0] |= id != null && !id.isEmpty();
        });
        if (apart[0]) {
            throw new SignalRefused("Doris runs in compute-storage mode, in which a frontend does not list current"
                    + " versions. Set store.signal to none");
        }
        checked = true;
    }

    /**
     * Returns the listed rows of these tables. Omits tables that are not listed, and tables in a
     * state in which rows can change without a load.
     */
    private Map<TableName, String> listed(CatalogRows rows, Collection<TableName> tables) throws ReadFailure {
        TreeSet<String> schemas = tables.stream().map(TableName::schema).collect(Collectors.toCollection(TreeSet::new));
        if (clock.getAsLong() - namedNanos > NAMES_NANOS || !databases.keySet().containsAll(schemas)) {
            databases.clear();
            namedNanos = clock.getAsLong();
            rows.repeat(DATABASES, row -> databases.put(row.required("DbName"), VersionSource.number(row, "DbId")));
        }
        Map<TableName, String> listed = new HashMap<>();
        ReadFailure refusal = null;
        for (String schema : schemas) {
            Long id = databases.get(schema);
            try {
                if (id != null) {
                    list(rows, schema, id, listed);
                    refusal = null;
                }
            } catch (ReadFailure e) {
                if (!e.refused()) {
                    throw e;
                }
                // The database has possibly just been dropped.
                databases.clear();
                refusal = e;
            }
        }
        refusals = refusal == null ? 0 : refusals + 1;
        if (refusal != null && refusals >= MAX_REFUSALS) {
            throw refusal;
        }
        return listed;
    }

    private static void list(CatalogRows rows, String schema, long id, Map<TableName, String> listed)
            throws ReadFailure {
        rows.repeat("SHOW PROC '/dbs/" + id + "'", row -> {
            if (NORMAL.equals(row.text("State"))) {
                StringBuilder print = new StringBuilder();
                for (String column : LISTED) {
                    print.append(row.required(column)).append(' ');
                }
                listed.put(new TableName(schema, row.required("TableName")), print.toString());
            }
        });
    }

    private Map<TableName, PartitionVersions> versions(
            CatalogRows rows, List<TableName> tables, Map<TableName, String> listed) throws ReadFailure {
        known.keySet().retainAll(listed.keySet());
        long now = clock.getAsLong();
        Map<TableName, PartitionVersions> versions = new HashMap<>();
        Set<TableName> renamed = new HashSet<>();
        for (TableName name : tables) {
            String print = listed.get(name);
            Known before = known.get(name);
            if (print != null && (before == null || !before.listed().equals(print))) {
                known.put(name, new Known(print, now, null, now));
                versions.put(name, PartitionVersions.UNKNOWN);
                if (before != null && !tableId(before.listed()).equals(tableId(print))) {
                    // The name belongs to another table now. Its partitions are not requested in
                    // this round, because tables can exchange their names and exchange them back.
                    renamed.add(name);
                }
            } else if (before != null && before.isStable() && before.partitions() != null) {
                versions.put(name, before.partitions());
            }
        }
        List<TableName> moving = tables.stream()
                .filter(name -> isMoving(name) && !renamed.contains(name))
                .sorted(urgency(now))
                .toList();
        for (TableName name : moving.subList(0, Math.min(moving.size(), MAX_PARTITION_QUESTIONS))) {
            long asked = clock.getAsLong();
            PartitionVersions partitions = partitions(rows, name);
            if (partitions != null) {
                known.computeIfPresent(name, (at, moved) -> moved.with(partitions, asked));
                versions.put(name, partitions);
            }
        }
        return versions;
    }

    private static String tableId(String listed) {
        return listed.substring(0, listed.indexOf(' '));
    }

    private boolean isMoving(TableName name) {
        Known table = known.get(name);
        return table != null && !table.isStable();
    }

    /** Orders changed tables first, then tables never requested, then by the last request. */
    private Comparator<TableName> urgency(long now) {
        Map<TableName, Known> of = Map.copyOf(known);
        return Comparator.comparingLong(name -> {
            Known table = requireNonNull(of.get(name));
            if (table.sinceNanos() == now) {
                return Long.MIN_VALUE;
            }
            return table.partitions() == null ? Long.MIN_VALUE + 1 : table.askedNanos() - now;
        });
    }

    /**
     * Returns a table's partitions with their versions; null if the store refuses to show them. Not
     * prepared, because Doris cannot prepare SHOW PARTITIONS.
     */
    private static @Nullable PartitionVersions partitions(CatalogRows rows, TableName table) throws ReadFailure {
        Map<Long, Long> versions = new HashMap<>();
        PartitionBounds bounds = new PartitionBounds();
        try {
            rows.query(
                    "SHOW PARTITIONS FROM " + SqlText.name(table.schema()) + "." + SqlText.name(table.table()), row -> {
                        long id = VersionSource.number(row, "PartitionId");
                        versions.put(id, VersionSource.number(row, "VisibleVersion"));
                        bounds.add(id, row.text("PartitionKey"), row.text("Range"));
                    });
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            return null;
        }
        return new PartitionVersions(versions, bounds.partitioning());
    }
}
