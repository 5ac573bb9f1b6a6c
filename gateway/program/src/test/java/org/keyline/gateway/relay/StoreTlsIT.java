package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.soon;

import com.mysql.cj.jdbc.JdbcConnection;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.fixtures.CertificateFiles;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * A store whose certificate is issued by an authority that only {@code store.authority} names. All
 * connections to the store must trust this authority and no other.
 */
class StoreTlsIT {
    @TempDir
    private static Path directory;

    private static Path authority;
    private static MariaDb store;

    @BeforeAll
    static void start() throws Exception {
        CertificateFiles made = CertificateFiles.create(directory, "store");
        authority = made.certificate();
        store = MariaDb.logging(
                "tls", "--ssl", "--ssl-cert=" + authority, "--ssl-key=" + made.key(), "--require-secure-transport");
        try (Connection straight = DriverManager.getConnection(store.jdbc("") + "&sslMode=REQUIRED");
                Statement sql = straight.createStatement()) {
            sql.execute("CREATE OR REPLACE DATABASE secured");
            sql.execute("CREATE TABLE secured.t (id INT PRIMARY KEY, v VARCHAR(20))");
            sql.execute("INSERT INTO secured.t VALUES (1, 'one')");
        }
    }

    @Test
    void verify_ofAnAuthorityThatIsNamed_hitsAndHearsOfOutsideWrites() throws Exception {
        try (RelayGateway gateway = RelayGateway.start(
                        store, "store.tls=verify", "store.authority=" + authority, "store.signal=auto");
                Connection through = gateway.connect("secured");
                Connection straight = DriverManager.getConnection(store.jdbc("secured") + "&sslMode=REQUIRED");
                Statement write = straight.createStatement()) {
            String select = "SELECT v FROM t WHERE id = 1";
            soon("the signal").until(() -> {
                one(through, select, 1);
                return one(through, "KEYLINE LAST", 2).equals("line")
                        && one(through, "SHOW STATUS LIKE 'Keyline_signal_live'", 2)
                                .equals("1");
            });
            write.execute("UPDATE t SET v = 'two' WHERE id = 1");
            // Lines live for an hour, so only the binary log can report the change.
            soon("the signal").until(() -> one(through, select, 1).equals("two"));
            assertThat(one(through, "SHOW STATUS LIKE 'Ssl_cipher'", 2)).isNotEmpty();
        }
    }

    /**
     * Only one of the two sides uses TLS, either way: the change of users passes like the login.
     */
    @ParameterizedTest
    @CsvSource({"REQUIRED,off", "DISABLED,required"})
    void changeUser_withTlsOnOneSide_isTheOtherUser(String client, String storeTls) throws Exception {
        MariaDb behind = storeTls.equals("off") ? MariaDb.get("second") : store;
        String straight = behind.jdbc("") + (storeTls.equals("off") ? "" : "&sslMode=REQUIRED");
        try (Connection admin = DriverManager.getConnection(straight);
                Statement sql = admin.createStatement()) {
            sql.execute("CREATE OR REPLACE USER other@'127.0.0.1' IDENTIFIED BY 'öther'");
            sql.execute("GRANT SELECT ON *.* TO other@'127.0.0.1'");
        }
        try (RelayGateway gateway = RelayGateway.start(behind, "tls.mode=offered", "store.tls=" + storeTls);
                Connection through = DriverManager.getConnection(gateway.jdbc("") + "&sslMode=" + client)) {
            through.unwrap(JdbcConnection.class).changeUser("other", "öther");
            assertThat(one(through, "SELECT CURRENT_USER()", 1)).isEqualTo("other@127.0.0.1");
            assertThatThrownBy(() -> through.unwrap(JdbcConnection.class).changeUser("other", "wrong"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Access denied for user 'other'@'127.0.0.1'");
        }
    }

    @Test
    void verify_ofTheOthers_isRefused() {
        assertThatThrownBy(() -> RelayGateway.start(store, "store.tls=verify"))
                .hasMessageContaining("mysql://127.0.0.1");
    }
}
