package org.keyline.gateway.relay;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.fixtures.CertificateFiles;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;

/**
 * Users, their rights and the certificate change while clients are connected, by KEYLINE RELOAD of
 * a changed file.
 */
final class ReloadUsersIT {
    private static final MariaDb STORE = MariaDb.get("second");
    private static final String ACCOUNT = "storeUser: " + MariaDb.USER + ", storePassword: " + MariaDb.PASSWORD;
    private static final String OPS = "  - {name: ops, plugin: none, " + ACCOUNT + "}\n";
    private static final String APP = "  - {name: app, plugin: none, " + ACCOUNT + "}\n";
    private static final String LATE = "  - {name: late, plugin: none, " + ACCOUNT + "}\n";

    @TempDir
    private Path directory;

    private Path file;
    private CertificateFiles certificate;
    private Gateway gateway;
    private Connection ops;

    @BeforeEach
    void start() throws Exception {
        certificate = CertificateFiles.create(directory, "first");
        file = directory.resolve("keyline.yaml");
        write(OPS + APP, "ops");
        gateway = Gateway.start(LiveConfig.read(() -> new ConfigLoader(Map.of())
                .file(file)
                .set("listen=127.0.0.1:0")
                .set("http=127.0.0.1:0")
                .set("store.url=mysql://127.0.0.1:" + STORE.port())
                .set("store.user=" + MariaDb.USER)
                .set("store.password=" + MariaDb.PASSWORD)));
        ops = login("ops", "");
    }

    @AfterEach
    void stop() throws Exception {
        ops.close();
        gateway.close();
    }

    private void write(String users, String changes) throws Exception {
        Files.writeString(
                file,
                "users:\n" + users + "access: {changes: " + changes + "}\ntls: {http: true, certificate: "
                        + certificate.certificate() + ", key: " + certificate.key() + "}\n");
    }

    private Connection login(String user, String password) throws SQLException {
        return DriverManager.getConnection("jdbc:mysql://" + gateway.listening() + "/?user=" + user + "&password="
                + password + "&sslMode=REQUIRED");
    }

    @Test
    void userThatIsTakenAway_isRefused_andItsSessionsEnd() throws Exception {
        try (Connection app = login("app", "")) {
            run(app, "DO 1");
            assertThatThrownBy(() -> login("late", "")).hasMessageContaining("Access denied");

            write(OPS + LATE, "ops");
            run(ops, "KEYLINE RELOAD");

            soon("the end of the session").until(() -> ended(app));
            assertThatThrownBy(() -> login("app", "")).hasMessageContaining("Access denied");
            try (Connection late = login("late", "");
                    Statement sql = late.createStatement();
                    ResultSet row = sql.executeQuery("SELECT USER()")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).startsWith(MariaDb.USER + "@");
            }
            run(ops, "DO 1");
        }
    }

    @Test
    void userWithAnotherPassword_logsInAnew() throws Exception {
        String hash;
        try (Connection straight = STORE.connect("");
                Statement sql = straight.createStatement();
                ResultSet row = sql.executeQuery("SELECT PASSWORD('other')")) {
            assertThat(row.next()).isTrue();
            hash = row.getString(1);
        }
        try (Connection app = login("app", "")) {
            run(app, "DO 1");
            write(OPS + APP.replace("plugin: none", "plugin: mysql_native_password, hash: '" + hash + "'"), "ops");
            run(ops, "KEYLINE RELOAD");
            soon("the end of the session").until(() -> ended(app));
        }
        assertThatThrownBy(() -> login("app", "")).hasMessageContaining("Access denied");
        try (Connection again = login("app", "other")) {
            run(again, "DO 1");
        }
    }

    @Test
    void rightsThatChange_holdForOpenSessions() throws Exception {
        try (Connection app = login("app", "")) {
            assertThatThrownBy(() -> run(app, "KEYLINE FLUSH ALL")).hasMessageContaining("access.changes");
            write(OPS + APP, "app");
            run(ops, "KEYLINE RELOAD");
            run(app, "KEYLINE FLUSH ALL");
            assertThatThrownBy(() -> run(ops, "KEYLINE RELOAD")).hasMessageContaining("access.changes");
        }
    }

    @Test
    void lastUser_isNotTakenAway_andNothingElseChanges() throws Exception {
        write("", "app");
        Files.writeString(file, Files.readString(file).replace("users:\n", "store: {login: local}\nusers: []\n"));
        assertThatThrownBy(() -> run(ops, "KEYLINE RELOAD")).hasMessageContaining("users");
        run(ops, "KEYLINE FLUSH ALL");
        login("app", "").close();
    }

    @ParameterizedTest
    @MethodSource("wrongUsers")
    void usersThatDoNotStand_changeNothing_andTheErrorTellsWhich(String users, String received) throws Exception {
        try (Connection app = login("app", "")) {
            write(users, "app");
            Files.writeString(file, Files.readString(file) + "cache: {ttl: 77s}\n");
            assertThatThrownBy(() -> run(ops, "KEYLINE RELOAD"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1231))
                    .hasMessageContaining(received)
                    .hasMessageNotContaining("topsecret");
            run(app, "DO 1");
            login("app", "").close();
            assertThatThrownBy(() -> run(app, "KEYLINE FLUSH ALL")).hasMessageContaining("access.changes");
            assertThat(Lines.one(ops, "SELECT value FROM keyline.settings WHERE path = 'cache.ttl'"))
                    .isEqualTo("1s");
        }
    }

    private static Stream<Arguments> wrongUsers() {
        return Stream.of(
                Arguments.of(OPS + APP + APP, "users[2].name: app (expected: each user once)"),
                Arguments.of(
                        OPS + "  - {name: app, plugin: none}\n", "users[1].storeUser: missing (expected: the account"),
                Arguments.of(OPS + APP.replace("none", "some"), "users[1].plugin: some (expected:"),
                Arguments.of(OPS + APP.replace("plugin: none", "hash: topsecret"), "users[1].hash: *** (expected:"),
                Arguments.of(OPS + APP.replace("name: app, ", ""), "users[1].name: missing (expected:"));
    }

    @Test
    void newCertificateUnderTheSameName_isUsedForNewConnections() throws Exception {
        assertThat(shown()).isEqualTo(certificate.made());
        certificate = CertificateFiles.create(directory, "second");
        run(ops, "KEYLINE RELOAD");
        assertThat(shown()).isEqualTo(certificate.made());
        run(ops, "DO 1");
        login("app", "").close();

        Files.writeString(certificate.certificate(), "no certificate");
        assertThatThrownBy(() -> run(ops, "KEYLINE RELOAD"))
                .hasMessageContaining("tls.certificate")
                .hasMessageContaining(certificate.certificate().toString());
        assertThat(shown()).isEqualTo(certificate.made());
    }

    private static boolean ended(Connection connection) {
        try {
            run(connection, "DO 1");
            return false;
        } catch (SQLException e) {
            return true;
        }
    }

    /** Returns the certificate of the address of metrics and health. */
    private X509Certificate shown() throws Exception {
        SSLContext any = SSLContext.getInstance("TLS");
        any.init(null, new TrustManager[] {new Anybody()}, null);
        InetSocketAddress address = requireNonNull(gateway.http(), "no address for metrics");
        try (SSLSocket socket =
                (SSLSocket) any.getSocketFactory().createSocket(address.getAddress(), address.getPort())) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
