package org.keyline.stores.mysql.catalog;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How many statements that define or grant something MySQL or MariaDB has begun, by its status variables {@code Com_…}. */
final class DefinitionCount {
    /*
     * The store counts a statement before it runs it, wherever it comes from: a client, a procedure, an event, a replica's threads. So
     * where nothing was counted between two looks, nothing that began between them has changed a definition. What began before the first
     * look may have taken effect after it. FLUSH STATUS may set counters back; the time of the last one is told, too.
     */
    private static final String COUNTERS = "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\\_alter\\_%'"
            + " OR Variable_name LIKE 'Com\\_create\\_%' OR Variable_name LIKE 'Com\\_drop\\_%'"
            + " OR Variable_name LIKE 'Com\\_rename\\_%' OR Variable_name LIKE 'Com\\_import\\_%'"
            + " OR Variable_name LIKE 'Com\\_grant%' OR Variable_name LIKE 'Com\\_revoke%'"
            + " OR Variable_name IN ('Uptime', 'Uptime_since_flush_status')";

    /** What they define is in no reading. */
    private static final Set<String> OTHERS = Set.of(
            "Com_alter_event",
            "Com_alter_server",
            "Com_alter_user",
            "Com_create_event",
            "Com_create_procedure",
            "Com_create_role",
            "Com_create_server",
            "Com_create_temporary_table",
            "Com_create_user",
            "Com_drop_event",
            "Com_drop_procedure",
            "Com_drop_role",
            "Com_drop_server",
            "Com_drop_temporary_table",
            "Com_drop_user",
            "Com_rename_user");

    private DefinitionCount() {}

    /** The counters at this moment, equal where nothing was counted in between; null if the store does not tell them. */
    static @Nullable String read(CatalogRows rows) throws ReadFailure {
        Map<String, Long> counters = new TreeMap<>();
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
        return up == null || flushed == null || counters.isEmpty() ? null : (up - flushed) + " " + counters;
    }
}
