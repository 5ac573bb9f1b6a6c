package org.keyline.gateway.doris;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.doris.LiveDoris.prepared;
import static org.keyline.gateway.doris.LiveDoris.rows;
import static org.keyline.gateway.doris.LiveDoris.run;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.history.TcpProxy;

/**
 * Two gateways in front of a real Doris frontend ({@code -Dkeyline.doris=HOST:PORT}), of which one asks for the versions of partitions for
 * both. Lines that nobody vouches for live for two seconds.
 */
@EnabledIfSystemProperty(named = "keyline.doris", matches = ".+")
final class DorisSharedSignalIT {
    private static final Duration SOON = Duration.ofSeconds(30);

    private static Gateway start(String name, TcpProxy a, TcpProxy b) throws Exception {
        Gateway started = Gateway.start(new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("store.url=mysql://" + LiveDoris.ADDRESS)
                .set("store.user=root")
                .set("store.unguardedLogins=allow")
                .set("store.signal=versions")
                .set("store.refresh=1s")
                .set("cache.ttl=2s")
                .set("cache.signalTtl=1h")
                .set("drainTimeout=300ms")
                .set("tier.name=" + name)
                .set("tier.members=a=127.0.0.1:" + a.port() + ",b=127.0.0.1:" + b.port())
                .set("tier.signal=one")
                .load());
        (name.equals("a") ? a : b)
                .leadTo(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), started.listening().port()));
        return started;
    }

    private static Connection connect(Gateway gateway) throws Exception {
        return DriverManager.getConnection("jdbc:mysql://127.0.0.1:"
                + gateway.listening().port()
                + "/keyline?user=keyline_app&password=pw&useServerPrepStmts=true&cachePrepStmts=true");
    }

    /** The views are hidden here by the tests' database, which has their name. */
    private static void awaitFollows(Connection client, boolean follows) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(rows(client, "SHOW STATUS LIKE 'keyline_signal_follows'"))
                        .isEqualTo(List.of("Keyline_signal_follows|" + (follows ? 1 : 0))));
    }

    /** The row is answered by a line that is older than what nobody vouches for. */
    private static void awaitVouched(Connection client, String value) {
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(prepared(client, 1)).first().asString().startsWith("1|" + value + "|");
            List<String> last = rows(client, "KEYLINE LAST");
            assertThat(last).contains("source|line");
            assertThat(Long.parseLong(last.get(1).replaceAll("\\D", ""))).isGreaterThan(2_500);
        });
    }

    private static void write(LiveDoris live, String value) throws Exception {
        run(live.straight(), "INSERT INTO keyline.items (k, v, d) VALUES (1, '" + value + "', 1)");
    }

    @Test
    void oneAsksForVersions_bothHear_andTheOtherGoesOnWhenItIsGone() throws Exception {
        try (LiveDoris live = new LiveDoris();
                TcpProxy toA = new TcpProxy(null);
                TcpProxy toB = new TcpProxy(null);
                Gateway b = start("b", toA, toB);
                Connection atB = connect(b)) {
            try (Gateway a = start("a", toA, toB);
                    Connection atA = connect(a)) {
                awaitFollows(atB, true);
                awaitFollows(atA, false);
                awaitVouched(atB, "one");
                awaitVouched(atA, "one");
                write(live, "two");
                awaitVouched(atA, "two");
                awaitVouched(atB, "two");
                run(live.straight(), "ALTER TABLE keyline.items ADD COLUMN more INT DEFAULT '5'");
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(rows(atB, "SELECT more FROM items WHERE k = 1"))
                                .isEqualTo(List.of("5")));
                write(live, "three");
                awaitVouched(atB, "three");
            }
            write(live, "four");
            awaitFollows(atB, false);
            await().atMost(SOON)
                    .untilAsserted(() ->
                            assertThat(prepared(atB, 1)).first().asString().startsWith("1|four|"));
            try (Gateway again = start("a", toA, toB);
                    Connection atA = connect(again)) {
                awaitFollows(atB, true);
                write(live, "five");
                awaitVouched(atB, "five");
                awaitVouched(atA, "five");
            }
        }
    }
}
