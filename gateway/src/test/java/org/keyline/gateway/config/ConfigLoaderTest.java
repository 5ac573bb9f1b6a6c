package org.keyline.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.TableName;
import org.keyline.protocol.transport.Transport;

final class ConfigLoaderTest {
    private static final long HEAP_BYTES = 1000L << 20;

    @Test
    void load_nothingConfigured_hasThesePinnedDefaults() throws ConfigException {
        assertThat(loader().load())
                .isEqualTo(new GatewayConfig(
                        new HostPort("127.0.0.1", 9030),
                        new HostPort("127.0.0.1", 9031),
                        false,
                        new GatewayConfig.Store(
                                "duckdb:memory",
                                "root",
                                "",
                                GatewayConfig.StoreTls.OFF,
                                null,
                                GatewayConfig.LoginMode.LOCAL,
                                GatewayConfig.UnguardedLogins.REFUSE,
                                Duration.ofSeconds(5),
                                new GatewayConfig.Signal(GatewayConfig.SignalMode.NONE, Duration.ofMillis(200), 0),
                                new GatewayConfig.Embedded(0, Duration.ofMinutes(5))),
                        new GatewayConfig.Tls(GatewayConfig.TlsMode.OFF, null, null),
                        List.of(),
                        new GatewayConfig.Cache(
                                true,
                                200L << 20,
                                Duration.ofSeconds(1),
                                Duration.ofMinutes(1),
                                Granularity.FULL,
                                10_000,
                                4 << 20,
                                1_000,
                                Duration.ofSeconds(10),
                                true,
                                100_000,
                                GatewayConfig.TransactionMode.EXACT),
                        Map.of(),
                        Duration.ofSeconds(60),
                        new GatewayConfig.Limits(
                                10_000, 4_096, 100_000, 64 << 20, 20L << 20, 300L << 20, Duration.ofSeconds(10)),
                        4,
                        Transport.AUTO,
                        16,
                        Duration.ofSeconds(10)));
    }

    @Test
    void load_fileWithEveryKeyAtItsDefault_isTheDefaults() throws Exception {
        assertThat(loader().yaml(allKeys(), "defaults.yaml").load()).isEqualTo(loader().load());
    }

    @Test
    void load_unknownKeys_namesEveryKeyThereIs() {
        String yaml = """
                x: 1
                store: {x: 1, duckdb: {x: 1}}
                tls: {x: 1}
                users: [{name: a, plugin: none, x: 1}]
                cache: {x: 1}
                limits: {x: 1}
                tables: {d: {t: {x: 1}}}
                """;
        assertThat(problems(yaml))
                .containsExactlyInAnyOrder(
                        "x: unknown key (expected: cache, demo, drainTimeout, eventLoops, http, limits, listen, "
                                + "loadConnections, privilegeTtl, store, tables, tls, transport, users)",
                        "store.duckdb.x: unknown key (expected: maxExecutionTime, memory)",
                        "store.x: unknown key (expected: authority, duckdb, login, password, passwordFile, refresh, signal, signalPeriod, signalServerId, tls, unguardedLogins, url, user)",
                        "tls.x: unknown key (expected: certificate, key, mode)",
                        "users[0].x: unknown key (expected: hash, name, plugin, storePassword, storeUser)",
                        "cache.x: unknown key (expected: auditOneIn, enabled, loadTimeout, maxBytesPerLine, maxRowsPerLine, "
                                + "maxWaitersPerLoad, prefix, refreshAhead, signalTtl, size, transactions, ttl)",
                        "limits.x: unknown key (expected: connections, loginTimeout, maxAllowedPacket, memory, planCache, "
                                + "preparedStatements, preparedStatementsPerSession)",
                        "tables.d.t.x: unknown key (expected: enabled, prefix, signalTtl, ttl)");
    }

    @Test
    void load_manyProblems_namesThemAllAtOnce() {
        String yaml = """
                listen: here
                eventLoops: 0
                transport: carrier pigeon
                cache: {ttl: 1, size: 90%, prefix: 0}
                privilegeTtl: 5 years
                tls: {mode: maybe}
                limits: {maxAllowedPacket: 2 GiB}
                store: {url: 'oracle://x'}
                """;
        assertThat(problems(yaml))
                .hasSize(10)
                .contains(
                        "listen: here (expected: HOST:PORT)",
                        "eventLoops: 0 (expected: a whole number, 1..1024)",
                        "transport: carrier pigeon (expected: auto, epoll, io_uring, nio)",
                        "cache.ttl: 1 (expected: a duration with a unit ms, s, m or h, 0s..24h)",
                        "tls.mode: maybe (expected: off, offered, required)",
                        "limits.maxAllowedPacket: 2 GiB (expected: a size with a unit B, KiB, MiB or GiB, 1 KiB..1 GiB)");
    }

    @Test
    void load_brokenYaml_namesTheLine() {
        assertThat(problems("listen: 127.0.0.1:1\n  http: x\n").get(0)).contains("line 2");
    }

    @Test
    void load_keyTwice_isRefused() {
        assertThat(problems("listen: 127.0.0.1:1\nlisten: 127.0.0.1:2\n").get(0))
                .contains("listen");
    }

    @Test
    void set_overFile_winsAndKeepsTheRest() throws ConfigException {
        GatewayConfig config = loader().yaml("cache:\n  ttl: 5s\n  prefix: 2\n", "test")
                .set("cache.ttl=250ms")
                .load();
        assertThat(config.cache().ttl()).isEqualTo(Duration.ofMillis(250));
        assertThat(config.cache().prefix()).isEqualTo(Granularity.prefix(2));
    }

    @Test
    void set_tableWithOddName_isExpressible() throws ConfigException {
        GatewayConfig config = loader().set("tables.shop.`orders.2026 ``x``=`.prefix=3")
                .set("tables.shop.plain.enabled=off")
                .load();
        assertThat(config.tables())
                .containsEntry(
                        new TableName("shop", "orders.2026 `x`="),
                        new GatewayConfig.Table(
                                Granularity.prefix(3), Duration.ofSeconds(1), Duration.ofMinutes(1), true))
                .containsEntry(
                        new TableName("shop", "plain"),
                        new GatewayConfig.Table(Granularity.FULL, Duration.ofSeconds(1), Duration.ofMinutes(1), false));
    }

    @Test
    void signalTtl_notConfigured_isNeverBelowTheTtl() throws ConfigException {
        GatewayConfig config = loader().set("cache.ttl=10m")
                .set("tables.a.b.ttl=1s")
                .set("tables.a.c.signalTtl=1h")
                .load();
        assertThat(config.cache().signalTtl()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.table(new TableName("a", "b")).signalTtl()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.table(new TableName("a", "c")).signalTtl()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void signalTtl_belowTheTtl_isAProblem() {
        assertThatThrownBy(() ->
                        loader().set("cache.ttl=5s").set("cache.signalTtl=2s").load())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cache.signalTtl: 2s (expected: a duration with a unit ms, s, m or h, 5s..24h)");
    }

    @Test
    void signal_badServerIdOrEmbeddedStore_isAProblem() {
        assertThatThrownBy(() -> loader().set("store.signal=binlog")
                        .set("store.signalServerId=4294967296")
                        .load())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("store.signalServerId: 4294967296 (expected: a whole number, 1..4294967295)")
                .hasMessageContaining("store.signal: binlog (expected: none or auto, where the store is embedded");
    }

    @Test
    void table_withoutOwnSettings_hasThoseOfTheCache() throws ConfigException {
        GatewayConfig config = loader().set("cache.prefix=auto").load();
        assertThat(config.table(new TableName("a", "b")).prefix()).isEqualTo(Granularity.AUTO);
    }

    @ParameterizedTest
    @ValueSource(strings = {"novalue", ".a=1", "a.=1", "`a=1", "`a`b=1"})
    void set_malformedPath_isAProblem(String assignment) {
        assertThatThrownBy(() -> loader().set(assignment).load()).isInstanceOf(ConfigException.class);
    }

    @Test
    void store_passwordOfTheEnvironment_yieldsToTheFile() throws Exception {
        Map<String, String> environment = Map.of(ConfigLoader.PASSWORD_VARIABLE, "from environment");
        assertThat(new ConfigLoader(environment).load().store().password()).isEqualTo("from environment");
        assertThat(new ConfigLoader(environment)
                        .set("store.password=own")
                        .load()
                        .store()
                        .password())
                .isEqualTo("own");
    }

    @Test
    void store_passwordFile_isReadWithoutItsLineEnd(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("secret"), "a b\n");
        assertThat(loader().set("store.passwordFile", file.toString())
                        .load()
                        .store()
                        .password())
                .isEqualTo("a b");
        assertThatThrownBy(() -> loader().set("store.passwordFile", file.toString())
                        .set("store.password=x")
                        .load())
                .hasMessageContaining("either password or passwordFile");
    }

    @Test
    void toString_ofSecrets_hidesThem() throws ConfigException {
        GatewayConfig config = loader().yaml(
                        "users: [{name: a, plugin: mysql_native_password, hash: '*" + "A".repeat(40) + "'}]", "test")
                .set("store.password=topsecret")
                .load();
        assertThat(config.toString()).doesNotContain("topsecret").doesNotContain("AAAA");
    }

    @Test
    void users_badHashes_areNamedWithoutShowingThem() {
        String yaml = """
                users:
                - {name: a, plugin: mysql_native_password, hash: secret}
                - {name: a, hash: secret}
                - {plugin: none, hash: secret}
                """;
        assertThat(problems(yaml)).hasSize(5).noneMatch(problem -> problem.contains("secret"));
    }

    @Test
    void tls_certificateWithoutKey_isRefused(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("cert.pem"), "");
        assertThat(problems("tls: {certificate: '" + file + "'}"))
                .hasSize(1)
                .first()
                .asString()
                .contains("both");
    }

    @Test
    void demo_onARemoteStore_isRefused() {
        assertThat(problems("demo: true\nstore: {url: 'mysql://127.0.0.1:1'}")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"100ms,100", "1s,1000", "2m,120000", "1h,3600000", "15 s,15000"})
    void duration_units_areRead(String text, long millis) {
        assertThat(Units.duration(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "1", "-1s", "1.5s", "1 day", "1S", "99999999999999999s"})
    void duration_malformed_isRefused(String text) {
        assertThatThrownBy(() -> Units.duration(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({"7 B,7", "1KiB,1024", "3 MiB,3145728", "2GiB,2147483648"})
    void bytes_units_areRead(String text, long bytes) {
        assertThat(Units.bytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"[::1]:9030,::1,9030", "localhost:0,localhost,0"})
    void hostPort_forms_areRead(String text, String host, int port) {
        assertThat(HostPort.parse(text)).isEqualTo(new HostPort(host, port)).hasToString(text);
    }

    private static ConfigLoader loader() {
        return new ConfigLoader(Map.of(), HEAP_BYTES, 4);
    }

    private static List<String> problems(String yaml) {
        try {
            loader().yaml(yaml, "test").load();
            throw new AssertionError("accepted: " + yaml);
        } catch (ConfigException e) {
            return e.problems().stream().map(Object::toString).toList();
        }
    }

    private static String allKeys() throws IOException {
        try (InputStream in = ConfigLoaderTest.class.getResourceAsStream("defaults.yaml")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
