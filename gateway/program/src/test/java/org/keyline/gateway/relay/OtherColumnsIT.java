package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Lookups by other columns, as well-known programs write them: directly at a MariaDB with its
 * binary log on, and through a gateway with default settings. The rows are the same, and the store
 * runs fewer statements.
 */
class OtherColumnsIT {
    private static final int VALUES = 20;
    private static final int ROUNDS = 10;

    private static final String SEVERAL = "PowerDNS, by name";

    /** Per program, a lookup of the value {@code ?}. */
    private static final Map<String, String> LOOKUPS = new LinkedHashMap<>();

    static {
        LOOKUPS.put(
                "PowerDNS, by name and type",
                "SELECT content,ttl,prio,type,domain_id,disabled,name,auth FROM records WHERE disabled=0"
                        + " and type='A' and name='h?.example.org'");
        LOOKUPS.put(
                SEVERAL,
                "SELECT content,ttl,prio,type,domain_id,disabled,name,auth FROM records WHERE disabled=0"
                        + " and name='h?.example.org'");
        LOOKUPS.put(
                "FreeRADIUS",
                "SELECT id, username, attribute, value, op FROM radcheck WHERE username = 'u?' ORDER BY id");
        LOOKUPS.put("WordPress", "SELECT option_value FROM wp_options WHERE option_name = 'option?' LIMIT 1");
        LOOKUPS.put("Postfix", "SELECT destination FROM virtual_aliases WHERE source='u?@example.org'");
        LOOKUPS.put(
                "Dovecot",
                "SELECT '/var/mail' AS home, 5000 AS uid, 5000 AS gid, password FROM virtual_users"
                        + " WHERE email = 'u?@example.org'");
    }

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.logging("logging");
        gateway = RelayGateway.start(store);
        store.run(
                "CREATE OR REPLACE DATABASE lookups CHARACTER SET utf8mb4",
                "CREATE TABLE lookups.records (id BIGINT AUTO_INCREMENT PRIMARY KEY, domain_id INT, name VARCHAR(255),"
                        + " type VARCHAR(10), content VARCHAR(6000), ttl INT, prio INT, disabled TINYINT(1) DEFAULT 0,"
                        + " ordername VARCHAR(255) BINARY, auth TINYINT(1) DEFAULT 1, KEY nametype (name, type),"
                        + " KEY domain_id (domain_id), KEY ordername (ordername)) CHARACTER SET latin1",
                "CREATE TABLE lookups.radcheck (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, username VARCHAR(64)"
                        + " NOT NULL DEFAULT '', attribute VARCHAR(64) NOT NULL DEFAULT '', op CHAR(2) NOT NULL DEFAULT '==',"
                        + " value VARCHAR(253) NOT NULL DEFAULT '', KEY username (username(32)))",
                "CREATE TABLE lookups.wp_options (option_id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, option_name"
                        + " VARCHAR(191) NOT NULL DEFAULT '', option_value LONGTEXT NOT NULL, autoload VARCHAR(20) NOT NULL"
                        + " DEFAULT 'yes', UNIQUE KEY option_name (option_name), KEY autoload (autoload))"
                        + " COLLATE utf8mb4_unicode_520_ci",
                "CREATE TABLE lookups.virtual_aliases (id INT AUTO_INCREMENT PRIMARY KEY, source VARCHAR(100) NOT NULL,"
                        + " destination VARCHAR(100) NOT NULL)",
                "CREATE TABLE lookups.virtual_users (id INT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(100) NOT NULL,"
                        + " password VARCHAR(150) NOT NULL, UNIQUE KEY email (email))");
        for (int i = 0; i < VALUES; i++) {
            store.run(
                    "INSERT INTO lookups.records (domain_id, name, type, content, ttl, prio) VALUES (1, 'h" + i
                            + ".example.org', 'AAAA', 'fd00::1', 300, 0), (1, 'h" + i
                            + ".example.org', 'A', '10.0.0.2', 300, 0), (1, 'h" + i
                            + ".example.org', 'A', '10.0.0.1', 300, 0)",
                    "INSERT INTO lookups.radcheck (username, attribute, op, value) VALUES ('u" + i
                            + "', 'Cleartext-Password', ':=', 'pw'), ('U" + i + "', 'Simultaneous-Use', ':=', '1')",
                    "INSERT INTO lookups.wp_options (option_name, option_value) VALUES ('option" + i + "', 'v" + i
                            + "')",
                    "INSERT INTO lookups.virtual_aliases (source, destination) VALUES ('u" + i
                            + "@example.org', 'b@example.org'), ('u" + i + "@example.org', 'a@example.org')",
                    "INSERT INTO lookups.virtual_users (email, password) VALUES ('u" + i + "@example.org', '{SHA512}"
                            + i + "')");
        }
    }

    @AfterAll
    static void stop() throws SQLException {
        gateway.close();
        store.run("DROP DATABASE lookups");
    }

    @Test
    void lookups_byOtherColumns_areTheStoresRows_andSendItFewerStatements() throws Exception {
        try (Connection straight = store.connect("lookups");
                Connection through = gateway.connect("lookups");
                Statement direct = straight.createStatement();
                Statement sql = through.createStatement()) {
            // When the gateway begins to follow the log, it drops all lines.
            soon("the signal")
                    .until(() ->
                            Lines.rows(sql, "SELECT live FROM keyline.signals").equals(List.of("1")));
            for (Map.Entry<String, String> lookup : LOOKUPS.entrySet()) {
                soon(lookup.getKey()).until(() -> {
                    assertSame(direct, sql, lookup.getValue(), lookup.getKey().equals(SEVERAL) ? VALUES : 0);
                    return Lines.rows(sql, "KEYLINE LAST").toString().contains("source line");
                });
                long before = selects(direct);
                int hits = 0;
                for (int round = 0; round < ROUNDS; round++) {
                    for (int value = 0; value < VALUES; value++) {
                        Lines.rows(sql, lookup.getValue().replace("?", Integer.toString(value)));
                        hits += Lines.rows(sql, "KEYLINE LAST").toString().contains("source line") ? 1 : 0;
                    }
                }
                long selects = selects(direct) - before;
                for (int value = 0; value < VALUES; value++) {
                    assertSame(direct, sql, lookup.getValue(), value);
                }
                // The index of names has another order than the key, so several rows come from the
                // store.
                if (lookup.getKey().equals(SEVERAL)) {
                    assertThat(Lines.rows(sql, "KEYLINE LAST").toString()).contains("SEVERAL_ROWS");
                } else {
                    assertThat(hits).as(lookup.getKey()).isGreaterThanOrEqualTo((ROUNDS - 2) * VALUES);
                    assertThat(selects).as(lookup.getKey()).isLessThan(ROUNDS * VALUES / 2);
                }
            }
        }
    }

    private static void assertSame(Statement straight, Statement through, String lookup, int value)
            throws SQLException {
        String select = lookup.replace("?", Integer.toString(value));
        assertThat(Lines.rows(through, select)).as(select).isEqualTo(Lines.rows(straight, select));
    }

    /** Returns the number of SELECTs of all sessions, including the gateway's own. */
    private static long selects(Statement straight) throws SQLException {
        return Long.parseLong(Lines.rows(straight, "SHOW GLOBAL STATUS LIKE 'Com_select'")
                .get(0)
                .split(" ", -1)[1]);
    }
}
