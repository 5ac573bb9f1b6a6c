package org.keyline.stores.mysql.catalog;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The number of definition and grant statements that a MySQL or MariaDB server has begun, read from
 * its status variables {@code Com_…}. Immutable.
 *
 * @param flushed the time of the last reset of the counters, in seconds since the server's start
 * @param writes the number of begun statements that write rows, which {@code counters} omits
 */
record DefinitionCount(long flushed, Map<String, Long> counters, long writes) {
    /*
     * The store counts a statement before it runs it, whether a client, a procedure, an event or a
     * thread of a replica issued it. If two counts are equal, no statement that began between them
     * has changed a definition. A statement that began before the first count can take effect
     * later. FLUSH STATUS can reset the counters, so a count contains the time of the last reset.
     */

    /** Statements that write rows, also within procedures, functions or prepared statements. */
    private static final Set<String> WRITES = Set.of("""
            Com_binlog Com_delete Com_delete_multi Com_insert Com_insert_select Com_load Com_repair
            Com_replace Com_replace_select Com_truncate Com_update Com_update_multi Com_xa_commit
            """.strip().split("\\s+"));

    private static final String COUNTERS = "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\\_alter\\_%'"
            + " OR Variable_name LIKE 'Com\\_create\\_%' OR Variable_name LIKE 'Com\\_drop\\_%'"
            + " OR Variable_name LIKE 'Com\\_rename\\_%' OR Variable_name LIKE 'Com\\_import\\_%'"
            + " OR Variable_name LIKE 'Com\\_grant%' OR Variable_name LIKE 'Com\\_revoke%'"
            + " OR Variable_name IN ("
            + WRITES.stream().map(name -> "'" + name + "'").collect(Collectors.joining(", ")) + ")"
            + " OR Variable_name IN ('Uptime', 'Uptime_since_flush_status')";

    /** Statements on objects that the catalog does not read. */
    private static final Set<String> OTHERS = Set.of("""
            Com_alter_event Com_alter_server Com_alter_user Com_create_event Com_create_procedure
            Com_create_role Com_create_server Com_create_temporary_table Com_create_user
            Com_drop_event Com_drop_procedure Com_drop_role Com_drop_server Com_drop_temporary_table
            Com_drop_user Com_rename_user
            """.strip().split("\\s+"));

    /** Statements that change stored code, but no table. */
    private static final Set<String> CODE = Set.of("""
            Com_alter_function Com_create_function Com_create_package Com_create_package_body
            Com_create_trigger Com_create_udf Com_create_view Com_drop_function Com_drop_package
            Com_drop_package_body Com_drop_trigger Com_drop_view
            """.strip().split("\\s+"));

    DefinitionCount {
        counters = Map.copyOf(counters);
    }

    /** What may have changed between two counts. Each constant includes all constants before it. */
    enum Change {
        NOTHING,
        ROWS,
        CODE,
        ANYTHING
    }

    Change since(DefinitionCount earlier) {
        if (flushed == earlier.flushed && counters.equals(earlier.counters)) {
            return writes == earlier.writes ? Change.NOTHING : Change.ROWS;
        }
        boolean code = flushed == earlier.flushed
                && counters.keySet().equals(earlier.counters.keySet())
                && counters.entrySet().stream()
                        .allMatch(now -> CODE.contains(now.getKey())
                                || now.getValue().equals(earlier.counters.get(now.getKey())));
        return code ? Change.CODE : Change.ANYTHING;
    }

    /** Returns the counters; null if the store does not report them. */
    static @Nullable DefinitionCount read(CatalogRows rows) throws ReadFailure {
        Map<String, Long> counters = new HashMap<>();
        rows.query(COUNTERS, row -> {
            if (!OTHERS.contains(row.required(1))) {
                try {
                    counters.put(row.required(1), Long.parseLong(row.required(2)));
                } catch (NumberFormatException e) {
                    throw new ReadFailure("the store answered " + row.required(2) + " for " + row.required(1));
                }
            }
        });
        Long up = counters.remove("Uptime");
        Long flushed = counters.remove("Uptime_since_flush_status");
        long writes = 0;
        for (String name : WRITES) {
            Long count = counters.remove(name);
            writes += count == null ? 0 : count;
        }
        return up == null || flushed == null || counters.isEmpty()
                ? null
                : new DefinitionCount(up - flushed, counters, writes);
    }
}
