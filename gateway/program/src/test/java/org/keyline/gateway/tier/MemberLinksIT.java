package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.tier.TierGateways.awaitLine;
import static org.keyline.gateway.tier.TierGateways.linked;
import static org.keyline.gateway.tier.TierGateways.read;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.CertificateFiles;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;
import org.keyline.gateway.fixtures.RelayGateway;

/** Gateways that report their writes to each other, as clients of each other. */
final class MemberLinksIT {
    private static final String N = "SELECT n FROM numbers WHERE id = 1";

    private MariaDb store;

    @BeforeEach
    void fill() throws Exception {
        store = MariaDb.get("second");
        store.run(
                "DROP DATABASE IF EXISTS members",
                "CREATE DATABASE members",
                "USE members",
                "CREATE TABLE numbers (id INT PRIMARY KEY, n INT)",
                "INSERT INTO numbers VALUES (1, 10), (2, 20)",
                "CREATE TABLE pairs (a INT, b INT, n INT, PRIMARY KEY (a, b))",
                "INSERT INTO pairs VALUES (1, 1, 11), (1, 2, 12), (2, 1, 21)",
                "CREATE OR REPLACE USER outsider@'%' IDENTIFIED BY 'strange'",
                "GRANT SELECT ON members.* TO outsider@'%'");
    }

    private static void sees(Connection reader, String answer) {
        soon("the other gateways").until(() -> read(reader, N).equals(answer));
    }

    @Test
    void gateways_whoseTierIsKilled_goOnToHearEachOther_andLinesOutlastTheStaleness() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        try (RedisServer redis = RedisServer.start();
                TierGateways gateways = new TierGateways(store, redis);
                Connection writer = gateways.connect(0, "members");
                Connection reader = gateways.connect(1, "members")) {
            soon("the other gateways").until(() -> linked(reader).equals("a1,c1"));
            awaitLine(reader, N, "10");
            redis.kill();
            soon("the other gateways").until(() -> status(reader, "keyline_tier_connected") == 0);
            awaitLine(reader, N, "10");
            run(writer, "UPDATE numbers SET n = 11 WHERE id = 1");
            sees(reader, "11");
            awaitLine(reader, N, "11");
        }
    }

    /**
     * Nothing passes from the others to the reader: until they are linked again, it trusts no line
     * for longer than the staleness.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void gateway_whoseLinkIsCut_answersByNothingOlderThanTheStaleness_untilItIsBack(boolean values) throws Exception {
        assumeTrue(!values || RedisServer.isInstalled(), "there is no redis-server");
        try (RedisServer redis = values ? RedisServer.start() : null;
                TierGateways gateways = new TierGateways(store, redis);
                Connection writer = gateways.connect(0, "members");
                Connection other = gateways.connect(2, "members");
                Connection reader = gateways.connect(1, "members")) {
            awaitLine(reader, N, "10");
            gateways.link(1).stall(true, true);
            run(writer, "UPDATE numbers SET n = 11 WHERE id = 1");
            sees(reader, "11");
            soon("the other gateways").until(() -> linked(writer).equals("c1"));
            soon("the other gateways").until(() -> linked(other).equals("a1"));
            soon("the other gateways").until(() -> linked(reader).isEmpty());
            run(writer, "UPDATE numbers SET n = 12 WHERE id = 1");
            for (Connection each : List.of(reader, writer, other)) {
                sees(each, "12");
                for (int i = 0; i < 100; i++) {
                    long beganNanos = System.nanoTime();
                    assertThat(read(each, N)).isEqualTo("12");
                    String age = read(each, "SELECT age_ms FROM keyline.last");
                    // The age refers to the moment of the query.
                    long sinceMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos) + 1;
                    assertThat(age.equals("null") ? 0 : Long.parseLong(age) - sinceMillis)
                            .as("age of a line while a member is silent")
                            .isLessThanOrEqualTo(TierGateways.STALENESS.toMillis());
                }
            }
            gateways.link(1).stall(false, false);
            gateways.link(1).cut(1);
            soon("the other gateways").until(() -> linked(writer).equals("b1,c1"));
            awaitLine(reader, N, "12");
            awaitLine(other, N, "12");
        }
    }

    /**
     * The lines of one gateway have all rows of the first column, those of another have one row,
     * and the third chooses by measurement.
     */
    @Test
    void gateways_whoseLinesHaveOtherPrefixes_hearOfEachOthersWrites() throws Exception {
        try (TierGateways gateways = new TierGateways(store, null, "tables.members.pairs.prefix=auto");
                Connection a = gateways.connect(0, "members");
                Connection b = gateways.connect(1, "members");
                Connection c = gateways.connect(2, "members")) {
            run(a, "KEYLINE SET tables.members.pairs.prefix = 1");
            run(b, "KEYLINE SET tables.members.pairs.prefix = 2");
            List<Connection> all = List.of(a, b, c);
            String row = "SELECT n FROM pairs WHERE a = 1 AND b = 2";
            String answer = "12";
            for (Connection writer : all) {
                for (Connection reader : all) {
                    awaitLine(reader, row, answer);
                }
                run(writer, "UPDATE pairs SET n = n + 1 WHERE a = 1 AND b = 2");
                answer = String.valueOf(Integer.parseInt(answer) + 1);
                for (Connection reader : all) {
                    String now = answer;
                    soon("the other gateways").until(() -> read(reader, row).equals(now));
                }
            }
            assertThat(granularity(a, row)).isEqualTo("1 of 2 key columns");
            assertThat(granularity(b, row)).isEqualTo("2 of 2 key columns");
            assertThat(granularity(c, row)).as("with what it measured").startsWith("2 of 2 key columns (");
        }
    }

    private static String granularity(Connection client, String read) throws SQLException {
        try (Statement statement = client.createStatement()) {
            statement.execute("KEYLINE EXPLAIN " + read);
            try (ResultSet received = statement.getResultSet()) {
                while (received.next()) {
                    if (received.getString(1).equals("load granularity")) {
                        return received.getString(2);
                    }
                }
            }
        }
        return "none";
    }

    @Test
    void tell_byWhomIsNoMember_orWhatIsNoEntry_isRefused() throws Exception {
        try (TierGateways gateways = new TierGateways(store, null);
                Connection member = gateways.connect(1, "members");
                Connection outsider = DriverManager.getConnection(member.getMetaData()
                        .getURL()
                        .replaceFirst("\\?.*", "?user=outsider&password=strange&allowPublicKeyRetrieval=true"))) {
            assertRefused(outsider, "KEYLINE TELL 'AAAA'", 1227, "42000");
            assertRefused(member, "KEYLINE TELL 'no/Base64!'", 1210, "HY000");
            assertRefused(member, "KEYLINE TELL", 1064, "42000");
            long unreadable = status(member, "keyline_tier_unreadable");
            run(member, "KEYLINE TELL '" + Base64.getEncoder().encodeToString(new byte[] {1, 0, 1}) + "'");
            soon("the other gateways").until(() -> status(member, "keyline_tier_unreadable") == unreadable + 1);
        }
        try (RelayGateway alone = RelayGateway.start(store);
                Connection member = alone.connect("members")) {
            assertRefused(member, "KEYLINE TELL 'AAAA'", 1210, "HY000");
        }
    }

    private static void assertRefused(Connection client, String statement, int code, String state) {
        assertThatThrownBy(() -> run(client, statement)).isInstanceOfSatisfying(SQLException.class, refused -> {
            assertThat(refused.getErrorCode()).isEqualTo(code);
            assertThat(refused.getSQLState()).isEqualTo(state);
        });
    }

    @Test
    void link_withAnAuthority_isMadeToGatewaysOfItsCertificatesOnly(@TempDir Path trusted, @TempDir Path other)
            throws Exception {
        CertificateFiles right = CertificateFiles.create(trusted, "127.0.0.1");
        CertificateFiles wrong = CertificateFiles.create(other, "127.0.0.1");
        String certificate = "tls.certificate=" + right.certificate();
        String key = "tls.key=" + right.key();
        try (TierGateways gateways =
                        new TierGateways(store, null, certificate, key, "tier.authority=" + right.certificate());
                Connection reader = gateways.connect(1, "members")) {
            soon("the other gateways").until(() -> linked(reader).equals("a1,c1"));
        }
        try (TierGateways gateways =
                        new TierGateways(store, null, certificate, key, "tier.authority=" + wrong.certificate());
                Connection reader = gateways.connect(1, "members")) {
            soon("the other gateways").until(() -> status(reader, "keyline_tier_lost") > 10);
            assertThat(read(reader, "SELECT COUNT(*) FROM keyline.tier WHERE linked <> 0"))
                    .isEqualTo("0");
        }
    }
}
