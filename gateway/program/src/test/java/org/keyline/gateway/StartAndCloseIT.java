package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.internal.PlatformDependent;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.TestClient;

/**
 * Gateways start and close many times inside one process. None leaves a thread, an open file,
 * direct memory or itself behind. The first ones load classes and fill Netty's pools, so they do
 * not count. {@code .ci/nightly} starts a hundred.
 */
@Tag("explores")
@EnabledOnOs(OS.LINUX)
final class StartAndCloseIT {
    /** More than {@link #FILES}, so that one file of each start is noticed. */
    private static final int TIMES = Integer.getInteger("keyline.starts", 6);

    private static final int FIRST = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** Netty frees the pool of a closed thread when the collector finds the thread. */
    private static final long POOLED_BYTES = 32L << 20;

    private static final int FILES = 5;

    private final List<WeakReference<Gateway>> closed = new ArrayList<>();

    @Test
    void embeddedGateways_leaveNothing() throws Exception {
        repeat(TIMES, () -> serve(config("store.url=duckdb:memory", "demo=true", "http=127.0.0.1:0"), "root", ""));
    }

    @Test
    void gatewaysInFrontOfMariaDb_leaveNothing() throws Exception {
        MariaDb store = MariaDb.get("second");
        repeat(
                TIMES,
                () -> serve(
                        config(
                                "store.url=mysql://127.0.0.1:" + store.port(),
                                "store.user=" + MariaDb.USER,
                                "store.password=" + MariaDb.PASSWORD,
                                "http=127.0.0.1:0"),
                        MariaDb.USER,
                        MariaDb.PASSWORD));
    }

    @Test
    void startsThatFail_leaveNothing() throws Exception {
        MariaDb store = MariaDb.get("second");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "127.0.0.1:" + taken.getLocalPort();
            for (String backend : List.of("duckdb:memory", "mysql://127.0.0.1:" + store.port())) {
                for (String key : List.of("listen", "http")) {
                    repeat(
                            TIMES,
                            () -> assertThatThrownBy(() -> Gateway.start(config(
                                            "store.url=" + backend,
                                            "store.user=" + MariaDb.USER,
                                            "store.password=" + MariaDb.PASSWORD,
                                            "http=127.0.0.1:0",
                                            key + "=" + port)))
                                    .isInstanceOf(StartException.class)
                                    .hasMessageContaining(port));
                }
            }
        }
    }

    private interface Run {
        void run() throws Exception;
    }

    private void repeat(int times, Run run) throws Exception {
        for (int i = 0; i < FIRST; i++) {
            run.run();
        }
        Set<Long> threads = threads();
        long files = files();
        System.gc();
        long direct = PlatformDependent.usedDirectMemory();
        for (int i = 0; i < times; i++) {
            run.run();
        }
        Awaitility.await().pollInSameThread().atMost(PATIENCE).untilAsserted(() -> {
            System.gc();
            assertThat(names(threads)).isEmpty();
            assertThat(files()).isLessThan(files + FILES);
            assertThat(closed).allMatch(gateway -> gateway.get() == null);
            assertThat(PlatformDependent.usedDirectMemory()).isLessThan(direct + POOLED_BYTES);
        });
    }

    private void serve(LiveConfig config, String user, String password) throws Exception {
        try (Gateway gateway = Gateway.start(config)) {
            closed.add(new WeakReference<>(gateway));
            HostPort address = gateway.listening();
            try (TestClient client =
                    TestClient.connect(address, options -> options.user(user).password(password))) {
                for (int i = 0; i < 4; i++) {
                    assertThat(client.query("SELECT " + i).rows()).isEqualTo(List.of(List.of("" + i)));
                }
            }
        }
    }

    private static LiveConfig config(String... settings) throws Exception {
        return LiveConfig.read(() -> {
            ConfigLoader loader = new ConfigLoader(Map.of()).set("listen=127.0.0.1:0");
            for (String setting : settings) {
                loader.set(setting);
            }
            return loader;
        });
    }

    private static Set<Long> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getId).collect(Collectors.toSet());
    }

    /** Returns the names of the threads that run now and did not run then. */
    private static Set<String> names(Set<Long> then) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !then.contains(thread.getId()))
                .map(Thread::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static long files() throws Exception {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }
}
