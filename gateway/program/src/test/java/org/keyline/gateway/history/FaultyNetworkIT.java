package org.keyline.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.source;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.fixtures.TcpProxy;

/** Rare orders of packets on the network under which a line could become wrong. */
class FaultyNetworkIT {
    private static final long HOUSEKEEPING_NANOS = 1_000_000_000;
    private static final String SELECT = "SELECT v FROM t WHERE k = ";

    private static TcpProxy proxy;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        MariaDb store = MariaDb.get("second");
        try (Connection straight = store.connect("")) {
            run(straight, "DROP DATABASE IF EXISTS held");
            run(straight, "CREATE DATABASE held");
            run(straight, "CREATE TABLE held.t (k INT PRIMARY KEY, v INT)");
        }
        proxy = new TcpProxy(store.address());
        gateway = RelayGateway.start(store, "store.url=mysql://127.0.0.1:" + proxy.port(), "store.refresh=100ms");
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.close();
        proxy.close();
    }

    private static Connection through() throws SQLException {
        return gateway.connect("held");
    }

    private static String read(Connection connection, int key) throws SQLException {
        return one(connection, SELECT + key);
    }

    /**
     * The catalog is unreadable for so long that no table is known, and the gateway drops all state
     * about removed tables.
     */
    @Test
    void openTransaction_keepsItsRowsClosed_whileTheCatalogIsUnknown() throws Exception {
        try (Connection writer = through();
                Connection reader = through()) {
            run(writer, "INSERT INTO t VALUES (3, 30)");
            await().until(() -> {
                read(reader, 3);
                return source(reader).equals("line");
            });
            run(writer, "START TRANSACTION");
            run(writer, "UPDATE t SET v = 31 WHERE k = 3");
            proxy.stall(false, true);
            // No statement can observe this, because even KEYLINE EXPLAIN asks the store about an
            // unknown table. The catalog is dropped after six times store.refresh.
            long until = System.nanoTime() + 4 * HOUSEKEEPING_NANOS;
            await().until(() -> System.nanoTime() > until);
            proxy.stall(false, false);
            await().until(() -> one(reader, "KEYLINE EXPLAIN SELECT v FROM t WHERE k = 3", 2)
                    .startsWith("SHORT-CIRCUIT"));
            for (int i = 0; i < 5; i++) {
                assertThat(read(reader, 3)).isEqualTo("30");
            }
            run(writer, "COMMIT");
            assertThat(read(reader, 3)).isEqualTo("31");
        }
    }
}
