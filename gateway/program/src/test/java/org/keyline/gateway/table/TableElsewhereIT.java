package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * A table whose rows are at another server, which is lost. The other tables of the store have lines
 * as usual.
 */
class TableElsewhereIT {
    private static final Path ENGINE = Path.of("/usr/lib/mysql/plugin/ha_federatedx.so");

    @Test
    void tableThatCannotBeOpened_leavesTheOthersTheirLines() throws Exception {
        assumeTrue(Files.exists(ENGINE), "MariaDB's engine FEDERATED is not installed");
        MariaDb store = MariaDb.installed("elsewhere");
        assumeTrue(store != null, "MariaDB is not installed");
        try (Connection straight = store.connect("")) {
            run(
                    straight,
                    "INSTALL SONAME 'ha_federatedx'",
                    "CREATE DATABASE far",
                    "CREATE USER far@'127.0.0.1' IDENTIFIED BY 'far'",
                    "GRANT ALL ON far.* TO far@'127.0.0.1'",
                    "CREATE TABLE far.kept (id INT PRIMARY KEY, n INT)",
                    "INSERT INTO far.kept VALUES (1, 10)",
                    "CREATE DATABASE near",
                    "CREATE TABLE near.t (id INT PRIMARY KEY, n INT)",
                    "INSERT INTO near.t VALUES (1, 10), (2, 20)",
                    "CREATE TABLE near.elsewhere (id INT PRIMARY KEY, n INT) ENGINE = FEDERATED CONNECTION ="
                            + " 'mysql://far:far@127.0.0.1:" + store.port() + "/far/kept'");
            String elsewhere = "SELECT n FROM elsewhere WHERE id = 1";
            String here = "SELECT n FROM t WHERE id = 1";
            assertThat(one(straight, "SELECT n FROM near.elsewhere WHERE id = 1"))
                    .isEqualTo("10");
            run(straight, "DROP USER far@'127.0.0.1'", "FLUSH TABLES");
            killFar(straight);
            try (RelayGateway gateway = RelayGateway.start(store);
                    Connection through = gateway.connect("near")) {
                warm(through, here);
                assertThatThrownBy(() -> one(through, elsewhere)).isInstanceOf(SQLException.class);
                String other = "SELECT n FROM t WHERE id = 2";
                warm(through, other);
                run(through, "UPDATE t SET n = 11 WHERE id = 1");
                assertThat(one(through, here)).isEqualTo("11");
                // The write scopes are known, too.
                assertThat(one(through, other)).isEqualTo("20");
                assertThat(source(through)).isEqualTo("line");
                // All definitions are read again.
                run(through, "ALTER TABLE t COMMENT = 'anew'");
                warm(through, here);
                run(
                        straight,
                        "CREATE USER far@'127.0.0.1' IDENTIFIED BY 'far'",
                        "GRANT ALL ON far.* TO far@'127.0.0.1'");
                for (int i = 0; i < 3; i++) {
                    assertThat(one(through, elsewhere)).isEqualTo("10");
                    assertThat(source(through)).isEqualTo("store");
                }
            }
        }
    }

    /** The engine reuses its connections, so they are killed. */
    private static void killFar(Connection straight) throws SQLException {
        run(straight, "KILL USER far@'127.0.0.1'");
    }
}
