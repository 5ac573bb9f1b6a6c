package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import com.mysql.cj.jdbc.JdbcConnection;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * The guarantees of a gateway in front of a MariaDB: freshness, isolation, authority. Lines live
 * for an hour here.
 */
final class RelayGuaranteesIT extends Scenarios {
    private static final String BALANCE = "SELECT balance FROM accounts WHERE id = 1";

    private Connection through() throws SQLException {
        return DriverManager.getConnection(gateway().jdbc("bank"));
    }

    /**
     * If the store's sessions begin with the lowest isolation level, lines must not contain
     * uncommitted rows.
     */
    @Test
    void uncommittedRows_getIntoNoLine() throws Exception {
        try (Connection straight = DriverManager.getConnection(store().jdbc("bank"))) {
            run(straight, "SET GLOBAL TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
            try (RelayGateway fresh = RelayGateway.start(store());
                    Connection reader = DriverManager.getConnection(fresh.jdbc("bank"))) {
                run(reader, "SET SESSION transaction_isolation = 'READ-COMMITTED'");
                warm(reader, "SELECT balance FROM accounts WHERE id = 2");
                run(straight, "START TRANSACTION", "UPDATE accounts SET balance = 0 WHERE id = 1");
                assertThat(one(reader, BALANCE)).isEqualTo("10");
                assertThat(source(reader)).isNotEqualTo("store");
                run(straight, "ROLLBACK");
            } finally {
                run(straight, "SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            }
        }
    }

    @Test
    void changedUser_hasItsOwnRightsAndNotTheFormerOnes() throws SQLException {
        try (Connection admin = DriverManager.getConnection(store().jdbc("bank"));
                Connection session = through()) {
            run(
                    admin,
                    "DROP USER IF EXISTS nobody@'127.0.0.1'",
                    "CREATE USER nobody@'127.0.0.1' IDENTIFIED BY 'n'",
                    "GRANT SELECT ON bank.notes TO nobody@'127.0.0.1'");
            warm(session, BALANCE);
            session.unwrap(JdbcConnection.class).changeUser("nobody", "n");
            assertThat(one(session, "SELECT CURRENT_USER()")).isEqualTo("nobody@127.0.0.1");
            assertThatThrownBy(() -> one(session, "SELECT balance FROM bank.accounts WHERE id = 1"))
                    .hasMessageContaining("denied");
        }
    }

    @Test
    void killTakesTheIdThatTheClientSees() throws Exception {
        try (Connection victim = through();
                Connection killer = through()) {
            String id = one(victim, "SELECT CONNECTION_ID()");
            CompletableFuture<String> sleeping = CompletableFuture.supplyAsync(() -> {
                try {
                    return one(victim, "SELECT SLEEP(60)");
                } catch (SQLException e) {
                    return String.valueOf(e.getMessage());
                }
            });
            soon("the sleep")
                    .until(() -> one(killer, "SELECT STATE FROM information_schema.PROCESSLIST WHERE ID = " + id)
                            .contains("sleep"));
            run(killer, "KILL QUERY " + id);
            assertThat(sleeping.get()).isIn("1", "Query execution was interrupted");
            run(killer, "KILL " + id);
            assertThatThrownBy(() -> one(victim, "SELECT 1")).isInstanceOf(SQLException.class);
            assertThat(one(killer, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void bytesThatAreNoText_failTheStatementAtMost() throws SQLException {
        try (Connection session = through()) {
            warm(session, BALANCE);
            String odd = new String(
                    new byte[] {'S', 'E', 'L', 'E', 'C', 'T', ' ', (byte) 0xFF}, StandardCharsets.ISO_8859_1);
            assertThatThrownBy(() -> one(session, odd)).isInstanceOf(SQLException.class);
            assertThat(one(session, BALANCE)).isEqualTo("10");
        }
    }
}
