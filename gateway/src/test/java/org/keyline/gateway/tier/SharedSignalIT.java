package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.tier.TierGateways.read;
import static org.keyline.gateway.tier.TierGateways.run;
import static org.keyline.gateway.tier.TierGateways.status;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Three gateways of which one reads the binary log of the store for all. Lines that nobody vouches for live for two seconds here, others for
 * an hour.
 */
final class SharedSignalIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String N = "SELECT n FROM numbers WHERE id = 1";
    private static final String OTHER = "SELECT n FROM numbers WHERE id = 2";
    private static final String FOLLOWS = "SELECT follows FROM keyline.signals";
    private static final String[] SETTINGS = {
        "store.signal=auto",
        "store.signalPeriod=50ms",
        "cache.ttl=2s",
        "cache.signalTtl=1h",
        "tables.shared.goods.filters=true",
        "tier.signal=one"
    };

    private MariaDb store;
    private Connection straight;
    private TierGateways gateways;
    private final List<Connection> clients = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        store = MariaDb.logging("logging");
        straight = DriverManager.getConnection(store.jdbc(""));
        run(
                straight,
                "DROP DATABASE IF EXISTS shared",
                "CREATE DATABASE shared",
                "USE shared",
                "CREATE TABLE numbers (id INT PRIMARY KEY, n INT)",
                "INSERT INTO numbers VALUES (1, 10), (2, 20)",
                "CREATE TABLE goods (id INT PRIMARY KEY, kind VARCHAR(20), price INT)",
                "INSERT INTO goods VALUES (1, 'tea', 5), (2, 'ink', 7)",
                "CREATE OR REPLACE USER stranger@'%' IDENTIFIED BY 'strange'",
                "GRANT SELECT ON shared.numbers TO stranger@'%'",
                "GRANT SELECT ON shared.goods TO stranger@'%'");
        gateways = new TierGateways(store, true, null, SETTINGS);
        for (int gateway = 0; gateway < TierGateways.NAMES.size(); gateway++) {
            clients.add(gateways.connect(gateway, "shared"));
        }
        awaitFollowers("null", "a", "a");
    }

    @AfterEach
    void stop() throws Exception {
        for (Connection client : clients) {
            client.close();
        }
        gateways.close();
        straight.close();
    }

    /** Whom each gateway follows. */
    private void awaitFollowers(String... readers) {
        for (int gateway = 0; gateway < readers.length; gateway++) {
            Connection client = clients.get(gateway);
            String reader = readers[gateway];
            if (!reader.equals("gone")) {
                await(gateway + " follows " + reader)
                        .atMost(PATIENCE)
                        .until(() -> read(client, FOLLOWS).equals(reader));
            }
        }
    }

    /** Lines that are read now grow old together. */
    private void warm(String... reads) throws SQLException {
        for (Connection client : clients) {
            for (String sql : reads) {
                for (int i = 0; i < 3; i++) {
                    read(client, sql);
                }
            }
        }
    }

    /** A line of the row is older than what nobody vouches for. */
    private static void awaitVouched(Connection client, String sql, String answer) {
        await(sql).atMost(PATIENCE).until(() -> {
            String read = read(client, sql);
            String age = read(client, "SELECT age_ms FROM keyline.last WHERE source = 'line'");
            return read.equals(answer) && !age.equals("none") && Long.parseLong(age) > 2_500;
        });
    }

    private void write(String sql, String read, String answer, int... at) throws SQLException {
        run(straight, sql);
        for (int gateway : at) {
            Connection client = clients.get(gateway);
            await(read).atMost(PATIENCE).until(() -> read(client, read).equals(answer));
        }
    }

    private String threadsThatSendTheLog() throws SQLException {
        return read(straight, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE COMMAND LIKE 'Binlog Dump%'");
    }

    private long losses(int gateway) throws SQLException {
        return status(clients.get(gateway), "keyline_signal_losses");
    }

    @Test
    void oneReads_allHear_andLinesAreVouchedFor() throws Exception {
        await().atMost(PATIENCE).until(() -> threadsThatSendTheLog().equals("1"));
        assertThat(read(clients.get(0), "SELECT followers FROM keyline.signals"))
                .isEqualTo("2");
        for (Connection client : clients) {
            awaitVouched(client, N, "10");
            awaitVouched(client, OTHER, "20");
        }
        long tables = status(clients.get(2), "keyline_signal_table_drops");
        write("UPDATE numbers SET n = 11 WHERE id = 1", N, "11", 0, 1, 2);
        write("DELETE FROM numbers WHERE id = 1", N, "none", 0, 1, 2);
        write("INSERT INTO numbers VALUES (1, 12)", N, "12", 0, 1, 2);
        // Told row by row.
        awaitVouched(clients.get(2), OTHER, "20");
        assertThat(status(clients.get(2), "keyline_signal_table_drops")).isEqualTo(tables);
        assertThat(threadsThatSendTheLog()).isEqualTo("1");
    }

    /** What a row was and is travels, too. */
    @Test
    void changedRow_endsTheFilterLinesOfAllGateways_thatItWasOrIsIn_andNoOthers() throws Exception {
        String tea = "SELECT id FROM goods WHERE kind = 'tea'";
        String ink = "SELECT id FROM goods WHERE kind = 'ink'";
        Connection follower = clients.get(1);
        warm(tea, ink);
        awaitVouched(follower, tea, "1");
        awaitVouched(follower, ink, "2");
        write("UPDATE goods SET kind = 'jam' WHERE id = 1", tea, "none", 0, 1, 2);
        read(follower, ink);
        assertThat(Long.parseLong(read(follower, "SELECT age_ms FROM keyline.last WHERE source = 'line'")))
                .isGreaterThan(2_500);
    }

    @Test
    void definitionsAndRights_thatChangePastTheGateways_reachAll() throws Exception {
        warm(N);
        for (Connection client : clients) {
            awaitVouched(client, N, "10");
        }
        run(straight, "ALTER TABLE numbers ADD COLUMN extra INT DEFAULT 5");
        for (Connection client : clients) {
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .until(() -> read(client, "SELECT extra FROM numbers WHERE id = 1")
                            .equals("5"));
        }
        write("UPDATE numbers SET n = 11 WHERE id = 1", N, "11", 0, 1, 2);
        try (Connection stranger = stranger(1)) {
            awaitVouched(stranger, N, "11");
            run(straight, "REVOKE SELECT ON shared.numbers FROM stranger@'%'");
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThatThrownBy(() -> read(stranger, N)).isInstanceOf(SQLException.class));
        }
    }

    /** The others go on where it had told, so that nothing is missed, and nothing dropped. */
    @Test
    void readerThatEnds_isFollowedByTheNext_andComesBack_whileLinesStay() throws Exception {
        warm(N, OTHER);
        for (int gateway = 1; gateway < 3; gateway++) {
            awaitVouched(clients.get(gateway), N, "10");
            awaitVouched(clients.get(gateway), OTHER, "20");
        }
        long[] before = {0, losses(1), losses(2)};
        clients.get(0).close();
        gateways.stop(0);
        run(straight, "UPDATE numbers SET n = 11 WHERE id = 1");
        awaitFollowers("gone", "null", "b");
        write("UPDATE numbers SET n = n + 1 WHERE id = 1", N, "12", 1, 2);

        gateways.startAgain(0);
        clients.set(0, gateways.connect(0, "shared"));
        run(straight, "UPDATE numbers SET n = 13 WHERE id = 1");
        awaitFollowers("null", "a", "a");
        write("UPDATE numbers SET n = n + 1 WHERE id = 1", N, "14", 0, 1, 2);
        awaitVouched(clients.get(1), OTHER, "20");
        awaitVouched(clients.get(2), N, "14");
        await().atMost(PATIENCE).until(() -> threadsThatSendTheLog().equals("1"));
        assertThat(new long[] {0, losses(1), losses(2)}).isEqualTo(before);
    }

    /** Nobody reads for who reaches nobody. */
    @Test
    void followerThatIsCutOffFromTheReader_readsByItself_untilItIsBack() throws Exception {
        awaitVouched(clients.get(1), N, "10");
        long before = losses(1);
        gateways.link(0).stall(true, true);
        run(straight, "UPDATE numbers SET n = 11 WHERE id = 1");
        awaitFollowers("null", "null", "b");
        write("UPDATE numbers SET n = n + 1 WHERE id = 1", N, "12", 0, 1, 2);
        gateways.link(0).stall(false, false);
        awaitFollowers("null", "a", "a");
        write("UPDATE numbers SET n = n + 1 WHERE id = 1", N, "13", 0, 1, 2);
        assertThat(losses(1)).isEqualTo(before);
    }

    /** A name that is not known fails before there is a connection. */
    @Test
    void readerWhoseNameIsNotKnown_isPassedOver() throws Exception {
        String members =
                "A=nowhere.invalid:3307,a=127.0.0.1:" + gateways.link(0).port() + ",d=127.0.0.1:1";
        String[] settings = Stream.concat(
                        Arrays.stream(SETTINGS),
                        Stream.of("tier.name=d", "tier.members=" + members, "drainTimeout=300ms"))
                .toArray(String[]::new);
        try (RelayGateway another = RelayGateway.start(store, settings);
                Connection client = DriverManager.getConnection(another.jdbc("shared"))) {
            await().atMost(PATIENCE).until(() -> read(client, FOLLOWS).equals("a"));
        }
    }

    private Connection stranger(int gateway) throws SQLException {
        String url = clients.get(gateway).getMetaData().getURL();
        return DriverManager.getConnection(
                url.replaceFirst("\\?.*", "?user=stranger&password=strange&allowPublicKeyRetrieval=true"));
    }

    @Test
    void hear_byWhomIsNoMember_orWhatIsNoQuestion_isRefused() throws Exception {
        try (Connection stranger = stranger(0)) {
            assertRefused(stranger, "KEYLINE HEAR 'AAAA'", 1227, "42000");
        }
        assertRefused(clients.get(0), "KEYLINE HEAR 'no/Base64!'", 1210, "HY000");
        assertRefused(clients.get(0), "KEYLINE HEAR 'AAAA'", 1210, "HY000");
        assertRefused(clients.get(0), "KEYLINE HEAR", 1064, "42000");
        try (RelayGateway alone = RelayGateway.start(store);
                Connection member = DriverManager.getConnection(alone.jdbc("shared"))) {
            assertRefused(member, "KEYLINE HEAR 'AAAA'", 1210, "HY000");
        }
    }

    private static void assertRefused(Connection client, String statement, int code, String state) {
        assertThatThrownBy(() -> run(client, statement)).isInstanceOfSatisfying(SQLException.class, refused -> {
            assertThat(refused.getErrorCode()).isEqualTo(code);
            assertThat(refused.getSQLState()).isEqualTo(state);
        });
    }
}
