package org.keyline.stores.mysql.signal;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;

/**
 * A server's settings of its binary log. Immutable.
 *
 * @see <a href="https://mariadb.com/kb/en/replication-and-binary-log-system-variables/">MariaDB's
 * variables</a>
 * @see
 * <a href="https://dev.mysql.com/doc/refman/8.4/en/replication-options-binary-log.html">MySQL's
 * variables</a>
 */
final class BinlogSettings {
    private static final String SHOW = "SHOW GLOBAL VARIABLES WHERE Variable_name IN "
            + "('log_bin', 'binlog_format', 'binlog_row_value_options', 'log_bin_compress', 'binlog_transaction_compression',"
            + " 'log_slave_updates', 'log_replica_updates', 'gtid_mode', 'gtid_slave_pos', 'wsrep_on',"
            + " 'rpl_semi_sync_master_enabled', 'rpl_semi_sync_master_wait_point')";
    /** Statements that show the log's filters: for servers before MySQL 8.2, and for later ones. */
    private static final List<String> FILTERS = List.of("SHOW MASTER STATUS", "SHOW BINARY LOG STATUS");

    private final Dialect dialect;
    private final Map<String, String> variables;
    private final Gtids logged;
    private final String unlogged;

    private BinlogSettings(Dialect dialect, Map<String, String> variables, Gtids logged, String unlogged) {
        this.dialect = dialect;
        this.variables = Map.copyOf(variables);
        this.logged = logged;
        this.unlogged = unlogged;
    }

    static BinlogSettings read(Dialect dialect, CatalogRows rows) throws ReadFailure {
        Map<String, String> variables = new HashMap<>();
        rows.query(SHOW, row -> variables.put(row.required(1).toLowerCase(Locale.ROOT), row.required(2)));
        return new BinlogSettings(dialect, variables, Gtids.read(dialect, rows), filters(rows));
    }

    /** Returns the databases that the log includes and excludes; empty if they are not readable. */
    private static String filters(CatalogRows rows) throws ReadFailure {
        StringBuilder filters = new StringBuilder();
        for (String show : FILTERS) {
            try {
                rows.query(
                        show,
                        row -> filters.append(Objects.requireNonNullElse(row.text("Binlog_Do_DB"), ""))
                                .append(Objects.requireNonNullElse(row.text("Binlog_Ignore_DB"), "")));
                break;
            } catch (ReadFailure e) {
                if (!e.refused()) {
                    throw e;
                }
            }
        }
        return filters.toString();
    }

    /**
     * Returns the log position from which to begin.
     *
     * @throws SignalRefused if the server does not log all of its changes in a form that Keyline
     * can follow
     */
    Gtids begin() throws SignalRefused {
        if (!isOn("log_bin")) {
            throw refused("log_bin is off", "log_bin, binlog_format=ROW and a server_id of its own", true);
        }
        if (!variables.getOrDefault("binlog_format", "ROW").equalsIgnoreCase("ROW")) {
            throw refused(
                    "binlog_format is " + variables.get("binlog_format") + ", which does not log every row",
                    "binlog_format=ROW",
                    false);
        }
        if (!variables.getOrDefault("binlog_row_value_options", "").isEmpty()) {
            throw refused("the log contains only parts of JSON values", "binlog_row_value_options=''", false);
        }
        for (String compression : List.of("log_bin_compress", "binlog_transaction_compression")) {
            if (isOn(compression)) {
                throw refused(compression + " is ON, and compressed events are not read", compression + "=OFF", false);
            }
        }
        if (!unlogged.isEmpty()) {
            throw refused(
                    "the log does not contain all databases (" + unlogged + ")",
                    "neither binlog_do_db nor binlog_ignore_db",
                    true);
        }
        // With AFTER_SYNC, the log position includes changes that wait for a replica, and that no
        // read shows yet.
        if (dialect.hasGtidDomains()
                && isOn("rpl_semi_sync_master_enabled")
                && variables.getOrDefault("rpl_semi_sync_master_wait_point", "").equalsIgnoreCase("AFTER_SYNC")) {
            throw refused(
                    "with rpl_semi_sync_master_wait_point=AFTER_SYNC, the log contains changes before reads show them",
                    "rpl_semi_sync_master_wait_point=AFTER_COMMIT",
                    false);
        }
        if (!dialect.hasGtidDomains() && !isOn("gtid_mode")) {
            throw refused("gtid_mode is not ON", "gtid_mode=ON and enforce_gtid_consistency=ON", false);
        }
        boolean replica = !dialect.hasGtidDomains()
                || isOn("wsrep_on")
                || !variables.getOrDefault("gtid_slave_pos", "").isEmpty();
        if (replica && !isOn("log_slave_updates") && !isOn("log_replica_updates")) {
            throw refused(
                    "the log omits the changes that the server replicates from other servers",
                    "log_slave_updates=ON",
                    true);
        }
        return logged;
    }

    private static SignalRefused refused(String missing, String cure, boolean restart) {
        return new SignalRefused(
                missing + ". For Keyline to follow the log, the [mysqld] section of the store's configuration needs "
                        + cure + (restart ? ", and the store a restart" : ""));
    }

    private boolean isOn(String variable) {
        String value = variables.getOrDefault(variable, "");
        return value.equalsIgnoreCase("ON") || value.equals("1");
    }
}
