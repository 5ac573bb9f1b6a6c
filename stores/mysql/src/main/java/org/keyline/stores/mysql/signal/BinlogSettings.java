package org.keyline.stores.mysql.signal;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;

/** What a server says of its binary log. Immutable. */
final class BinlogSettings {
    private static final String SHOW = "SHOW GLOBAL VARIABLES WHERE Variable_name IN "
            + "('log_bin', 'log_slave_updates', 'log_replica_updates', 'gtid_mode', 'gtid_slave_pos')";

    private final Dialect dialect;
    private final Map<String, String> variables;
    private final Gtids logged;

    private BinlogSettings(Dialect dialect, Map<String, String> variables, Gtids logged) {
        this.dialect = dialect;
        this.variables = Map.copyOf(variables);
        this.logged = logged;
    }

    static BinlogSettings read(Dialect dialect, CatalogRows rows) throws ReadFailure {
        Map<String, String> variables = new HashMap<>();
        rows.query(SHOW, row -> variables.put(row.required(1).toLowerCase(Locale.ROOT), row.required(2)));
        return new BinlogSettings(dialect, variables, Gtids.read(dialect, rows));
    }

    /**
     * How far the server has logged.
     *
     * @throws SignalRefused if it does not log all of its changes, or not so that they can be followed
     */
    Gtids begin() throws SignalRefused {
        if (!isOn("log_bin")) {
            throw new SignalRefused("the store's binary log is off (needed: log_bin)");
        }
        if (dialect.mayLackGtids() && !isOn("gtid_mode")) {
            throw new SignalRefused("the store's transactions have no global ids (needed: gtid_mode=ON)");
        }
        boolean replica = !dialect.tellsReplication()
                || !variables.getOrDefault("gtid_slave_pos", "").isEmpty();
        if (replica && !isOn("log_slave_updates") && !isOn("log_replica_updates")) {
            throw new SignalRefused("the store does not log what it replicates (needed: log_slave_updates)");
        }
        return logged;
    }

    private boolean isOn(String variable) {
        String value = variables.getOrDefault(variable, "");
        return value.equalsIgnoreCase("ON") || value.equals("1");
    }
}
