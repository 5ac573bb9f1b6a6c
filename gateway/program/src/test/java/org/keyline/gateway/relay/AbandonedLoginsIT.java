package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.fixtures.RawClient;
import org.keyline.protocol.fixtures.TcpProxy;
import org.keyline.protocol.fixtures.Wire;

/**
 * Clients that disconnect in the middle of the login, in front of a store that blocks hosts with
 * aborted handshakes.
 */
class AbandonedLoginsIT {
    private static final int MAX_CONNECT_ERRORS = 5;

    private static void leave(int port, int after) throws Exception {
        try (RawClient client = new RawClient(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            if (after > 0) {
                Wire.Packet first = client.read();
                if (after > 1) {
                    HandshakeV10 greeting = HandshakeV10.decode(first.buffer());
                    // The plugin is not the account's, so the store asks again.
                    byte[] response = RawClient.response(
                            MariaDb.USER,
                            "",
                            new byte[0],
                            "mysql_clear_password",
                            RawClient.FLAGS & greeting.capabilities(),
                            0);
                    client.write(1, response);
                }
            }
        }
    }

    private static void login(String url) throws SQLException {
        DriverManager.getConnection(url).close();
    }

    @Test
    void clientsThatLeaveInTheLogin_doNotLockTheGatewayOut() throws Exception {
        MariaDb store =
                MariaDb.logging("guarded", "--skip-name-resolve=0", "--max-connect-errors=" + MAX_CONNECT_ERRORS);
        try (Connection straight = store.connect("");
                Statement sql = straight.createStatement();
                TcpProxy network = new TcpProxy(store.address())) {
            // A store does not count those from 127.0.0.1.
            network.connectFrom(InetAddress.getByName("127.0.0.2"));
            sql.execute("CREATE USER IF NOT EXISTS keyline@'%' IDENTIFIED BY '" + MariaDb.PASSWORD + "'");
            sql.execute("GRANT ALL ON *.* TO keyline@'%' WITH GRANT OPTION");
            String direct = store.jdbc("").replace(":" + store.port(), ":" + network.port());
            login(direct);
            for (int i = 0; i <= MAX_CONNECT_ERRORS; i++) {
                leave(network.port(), 1);
            }
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100; i++) {
                            leave(network.port(), 1);
                            login(direct);
                        }
                    })
                    .as("this store does count")
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1129));
            sql.execute("FLUSH HOSTS");
            try (RelayGateway gateway = RelayGateway.start(store, "store.url=mysql://127.0.0.1:" + network.port())) {
                login(gateway.jdbc(""));
                for (int i = 0; i < 10 * MAX_CONNECT_ERRORS; i++) {
                    leave(gateway.port(), i % 3);
                }
                login(gateway.jdbc(""));
            }
        }
    }
}
