package org.keyline.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.units.Units;
import org.keyline.planner.TableName;

final class ConfigLoaderTest {
    private static final long HEAP_BYTES = 1000L << 20;

    /** Keys that accept any text. */
    private static final Set<ConfigKey<?>> TEXTS = Set.of(
            ConfigKeys.ACCESS_VIEWS,
            ConfigKeys.ACCESS_HTTP_HOSTS,
            ConfigKeys.ACCESS_CHANGES,
            ConfigKeys.ACCESS_HTTP_TOKEN,
            ConfigKeys.LOG_SLOW_FILE,
            ConfigKeys.STORE_USER,
            ConfigKeys.STORE_PASSWORD,
            ConfigKeys.TIER_USER,
            ConfigKeys.TIER_PASSWORD,
            ConfigKeys.TIER_VALUE_KEY,
            ConfigKeys.USER_NAME,
            ConfigKeys.USER_STORE_PASSWORD);

    @ParameterizedTest
    @CsvSource({"mysql://db, db:3306", "mysql://db:9030, db:9030", "mysql://[::1], [::1]:3306"})
    void storeUrl_withoutAPort_hasMySqlsOwn(String url, String address) throws ConfigException {
        assertThat(loader().set("store.url=" + url).load().storeAddresses())
                .singleElement()
                .hasToString(address);
    }

    @ParameterizedTest
    @CsvSource({
        "8, mysql://127.0.0.1, 4",
        "3, 'mysql://localhost,[::1]:3307', 1",
        "1, mysql://localhost, 1",
        "8, 'mysql://localhost,db', 8",
        "8, mysql://127.db, 8",
        "8, duckdb:memory, 8"
    })
    void eventLoops_byDefault_leaveProcessorsToAStoreOnThisMachine(int processors, String url, int loops)
            throws ConfigException {
        ConfigLoader loader = new ConfigLoader(Map.of(), HEAP_BYTES, processors);
        assertThat(loader.set("store.url=" + url).load().get(ConfigKeys.EVENT_LOOPS))
                .isEqualTo(loops);
        assertThat(loader.set("eventLoops=5").load().get(ConfigKeys.EVENT_LOOPS))
                .isEqualTo(5);
    }

    @Test
    void load_nothingConfigured_hasTheDefaultsOfThisMachine() throws ConfigException {
        GatewayConfig config = loader().load();
        assertThat(config.get(ConfigKeys.EVENT_LOOPS)).isEqualTo(4);
        assertThat(config.get(ConfigKeys.LOAD_CONNECTIONS)).isEqualTo(16);
        assertThat(config.get(ConfigKeys.CACHE_SIZE)).isEqualTo(200L << 20);
        assertThat(config.get(ConfigKeys.FILTER_SIZE)).isEqualTo(50L << 20);
        assertThat(config.get(ConfigKeys.LIMITS_PLANS)).isEqualTo(20L << 20);
        assertThat(config.get(ConfigKeys.LIMITS_MEMORY)).isEqualTo(300L << 20);
        assertThat(config.get(ConfigKeys.RELAYS_LOGINS)).isFalse();
        assertThat(config.get(ConfigKeys.TLS_MODE)).isEqualTo(GatewayConfig.TlsMode.OFF);
        assertThat(config.mayChange("root")).isTrue();
        assertThat(config.mayView("app")).isFalse();
        assertThat(config.isMember()).isFalse();
    }

    @Test
    void load_everyKeySetToItsDefault_isTheDefaults() throws ConfigException {
        ConfigLoader loader = loader();
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            if (key.hasConstant() && !key.section().equals(ConfigKey.USER)) {
                loader.set(key.path(), key.fallbackWords());
            }
        }
        GatewayConfig config = loader.load();
        GatewayConfig defaults = loader().load();
        Settings table = config.table(new TableName("DB", "TABLE"));
        assertThat(ConfigKeys.ALL)
                .filteredOn(key -> !key.section().equals(ConfigKey.USER))
                .allSatisfy(key -> assertThat(table.find(key))
                        .isEqualTo(defaults.table(new TableName("a", "b")).find(key)));
    }

    @Test
    void load_anyKey_isReadFromItsPlace() throws ConfigException {
        GatewayConfig config = loader().yaml("users: [{name: a, plugin: none}]\ntables: {DB: {TABLE: {}}}", "test")
                .load();
        assertThat(config.all().stream().map(setting -> setting.path().replace("users[0]", "users[]")))
                .containsExactlyInAnyOrderElementsOf(
                        ConfigKeys.ALL.stream().map(ConfigKey::path).toList());
    }

    @ParameterizedTest
    @MethodSource("keys")
    void load_keyWithAnImpossibleValue_isAProblemThatNamesIt(ConfigKey<?> key) {
        assumeFalse(TEXTS.contains(key), "takes any text");
        String path = key.path().replace("users[]", "users[0]");
        assertThat(problems(nested(key, "'?'")))
                .filteredOn(problem -> problem.startsWith(path + ": "))
                .isNotEmpty()
                .allMatch(problem -> problem.contains(" (expected: "));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void problems_withASecretInTheWrongPlace_doNotShowIt(ConfigKey<?> key) {
        String secret = "topsecret7";
        String name = key.name();
        String section = key.section().replace("[]", "").split("[.]", 2)[0];
        assertThat(Stream.of(
                                nested(key, "{" + secret + ": " + secret + "}"),
                                nested(key, "[" + secret + "]"),
                                key.isSecret() ? nested(key, secret) + "\nlisten: x" : "listen: x",
                                (section.isEmpty() ? name : section) + ": [" + secret + "]",
                                section.isEmpty() ? "" : section + ": " + secret,
                                "nosuch: {" + name + ": " + secret + "}",
                                name + "s: " + secret,
                                nested(key, "*" + secret),
                                nested(key, "!" + secret + " x"),
                                nested(key, "\"\\q" + secret + "\""),
                                name + ": a: " + secret)
                        .filter(yaml -> !yaml.isEmpty())
                        .flatMap(yaml -> refusals(yaml).stream()))
                .filteredOn(problem -> !problem.contains(secret + ": unknown key")) // there it is a key's name
                .isNotEmpty()
                .noneMatch(problem -> problem.contains(secret));
    }

    @ParameterizedTest
    @ValueSource(strings = {"store.password:topsecret", "store.password topsecret", "store.password"})
    void set_withoutEqualsSign_showsTheNameOnly(String assignment) {
        assertThatThrownBy(() -> loader().set(assignment).load())
                .hasMessageContaining("--set: store.password")
                .hasMessageNotContaining("topsecret");
    }

    @Test
    void ttl_isLonger_whereNobodyElseWrites() throws ConfigException {
        GatewayConfig embedded = loader().load();
        assertThat(embedded.get(ConfigKeys.CACHE_TTL)).isEqualTo(Duration.ofMinutes(1));
        assertThat(embedded.table(new TableName("a", "b")).get(ConfigKeys.TABLE_TTL))
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(loader().set("store.url=mysql://127.0.0.1:1").load().get(ConfigKeys.CACHE_TTL))
                .isEqualTo(Duration.ofSeconds(1));
        assertThat(loader().set("cache.ttl=2s").load().get(ConfigKeys.CACHE_TTL))
                .isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void settings_ofSecrets_areMasked(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("keyline.yaml"), """
                store: {url: 'mysql://127.0.0.1:1', password: topsecret}
                users: [{name: a, plugin: mysql_native_password, hash: '*%s', storeUser: b, storePassword: topsecret}]
                """.formatted("A".repeat(40)));
        ConfigLoader loader = loader().file(file);
        GatewayConfig config = loader.load();
        assertThat(config.toString()).doesNotContain("topsecret").doesNotContain("AAAA");
        assertThat(config.all())
                .extracting(setting -> setting + " " + setting.source())
                .contains(
                        "store.password: *** FILE",
                        "users[0].hash: *** FILE",
                        "users[0].storePassword: *** FILE",
                        "cache.ttl: 1s DEFAULT");
    }

    @Test
    void yaml_passwordThatLooksLikeANumber_staysAsItStands() throws ConfigException {
        assertThat(loader().yaml("store: {password: 0123, user: 1_0}", "test").load())
                .matches(config -> config.get(ConfigKeys.STORE_PASSWORD).value().equals("0123")
                        && config.get(ConfigKeys.STORE_USER).equals("1_0"));
    }

    /** YAML in which {@code \n} is a new line, and a part of its only problem. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "ConfigLoaderTest.configuration_thatCannotBe_hasOneProblem.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void configuration_thatCannotBe_hasOneProblem(String yaml, String problem) {
        assertThat(problems(yaml.replace("\\n", "\n").replace("\\t", "\t")))
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains(problem)
                .doesNotContain("topsec");
    }

    @Test
    void load_unknownKeys_namesEveryKeyThereIs() {
        String yaml = """
                x: 1
                store: {x: 1, duckdb: {x: 1}}
                tls: {x: 1}
                users: [{name: a, plugin: none, x: 1}]
                access: {x: 1}
                log: {x: 1, slow: {x: 1}}
                cache: {x: 1}
                filter: {x: 1}
                limits: {x: 1}
                tables: {d: {t: {x: 1}}}
                """;
        assertThat(problems(yaml))
                .hasSize(12)
                .allMatch(problem -> problem.contains("x: unknown key (expected: "))
                .contains(
                        "log.slow.x: unknown key (expected: file, threshold)",
                        "filter.x: unknown key (expected: enabled, order, size)",
                        "users[0].x: unknown key (expected: hash, name, plugin, storePassword, storeUser)")
                .anyMatch(problem ->
                        problem.startsWith("x: ") && problem.endsWith(", tables, tier, tls, transport, users)"))
                .anyMatch(problem -> problem.startsWith("tables.d.t.x: ") && problem.endsWith(", tierUse, ttl)"));
    }

    @Test
    void load_manyProblems_namesThemAllAtOnce() {
        String yaml = """
                listen: here
                eventLoops: 0
                transport: carrier pigeon
                cache: {ttl: 1, size: 90%, prefix: -1}
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
    void load_tab_isNamedWhereItIs() {
        assertThat(problems("store:\n\turl: secret\n").get(0))
                .contains("line 2, column 1", "TAB")
                .doesNotContain("secret");
    }

    @Test
    void load_databaseWithADot_isAName() throws ConfigException {
        GatewayConfig config = loader().yaml("tables: {shop.2026: {orders.old: {prefix: 1}}}", "test")
                .load();
        assertThat(config.tables()).containsOnlyKeys(new TableName("shop.2026", "orders.old"));
    }

    @Test
    void set_overFile_winsAndKeepsTheRest() throws ConfigException {
        GatewayConfig config = loader().yaml("cache:\n  ttl: 5s\n  prefix: 2\n", "test")
                .set("cache.ttl=250ms")
                .load();
        assertThat(config.get(ConfigKeys.CACHE_TTL)).isEqualTo(Duration.ofMillis(250));
        assertThat(config.get(ConfigKeys.CACHE_PREFIX)).isEqualTo(new Granularity(2));
    }

    @Test
    void set_tableWithOddName_isExpressible() throws ConfigException {
        GatewayConfig config = loader().set("tables.shop.`orders.2026 ``x``=`.prefix=3")
                .set("tables.shop.plain.enabled=off")
                .load();
        Settings odd = config.table(new TableName("shop", "orders.2026 `x`="));
        assertThat(odd.get(ConfigKeys.TABLE_PREFIX)).isEqualTo(new Granularity(3));
        assertThat(odd.get(ConfigKeys.TABLE_ENABLED)).isTrue();
        Settings plain = config.table(new TableName("shop", "plain"));
        assertThat(plain.get(ConfigKeys.TABLE_PREFIX)).isEqualTo(Granularity.AUTO);
        assertThat(plain.get(ConfigKeys.TABLE_ENABLED)).isFalse();
    }

    @Test
    void tierOfATable_isItsOwnOrThatOfAll() throws ConfigException {
        String[] shared = {
            "store.url=mysql://h:3306", "tier.url=redis://t:6379", "tier.name=a", "tier.members=a=h:1,b=h:2"
        };
        ConfigLoader loader = loader();
        for (String setting : shared) {
            loader.set(setting);
        }
        GatewayConfig config = loader.set("tier.values=true")
                .set("tables.d.own.tierUse=local")
                .set("tables.d.big.tierUse=both")
                .load();
        assertThat(List.of("own", "big", "any"))
                .extracting(name -> config.table(new TableName("d", name)))
                .extracting(table -> table.get(ConfigKeys.TABLE_SHARES_LINES))
                .containsExactly(false, true, true);
    }

    @Test
    void members_needNoServer() throws ConfigException {
        ConfigLoader loader = new ConfigLoader(Map.of());
        for (String setting : new String[] {
            "store.url=mysql://h:3306", "tier.name=a", "tier.members=a=h:1, b=10.0.0.2:3307,c=[::1]:3308"
        }) {
            loader.set(setting);
        }
        GatewayConfig tier = loader.load();
        assertThat(tier.isMember()).isTrue();
        assertThat(tier.find(ConfigKeys.TIER_URL)).isNull();
        assertThat(tier.otherMembers())
                .containsExactly(
                        new GatewayConfig.Member("b", new HostPort("10.0.0.2", 3307)),
                        new GatewayConfig.Member("c", new HostPort("::1", 3308)));
        assertThat(tier.verifiesMembers()).isFalse();
    }

    @Test
    void members_whereTheGatewayChecksPasswords_needTheStoresUserAmongItsUsers() {
        String linked = "store: {url: 'mysql://h:3306', user: keyline}\ntier: {name: a, members: 'a=h:1,b=h:2'}\n";
        String application = "{name: app, plugin: none, storeUser: app}";
        assertThat(refusals(linked + "users: [" + application + "]"))
                .containsExactly(
                        "tier.members: given, without keyline among users (expected: store.user among users with"
                                + " store.password: other gateways log in with this account)");
        assertThat(refusals(linked + "users: [" + application + ", {name: keyline, plugin: none, storeUser: keyline}]"))
                .isEmpty();
        assertThat(refusals(linked)).isEmpty();
        assertThat(problems("tier: {name: a, members: 'a=h:1,b=h:2'}"))
                .contains(
                        "tier.members: given with store.url duckdb:memory (expected: none with an embedded store: each"
                                + " gateway has its own)");
    }

    @Test
    void signalTtl_notConfigured_isNeverBelowTheTtl() throws ConfigException {
        GatewayConfig config = loader().set("cache.ttl=10m")
                .set("tables.a.b.ttl=1s")
                .set("tables.a.c.signalTtl=1h")
                .load();
        assertThat(config.get(ConfigKeys.CACHE_SIGNAL_TTL)).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.table(new TableName("a", "b")).get(ConfigKeys.TABLE_SIGNAL_TTL))
                .isEqualTo(Duration.ofMinutes(10));
        assertThat(config.table(new TableName("a", "c")).get(ConfigKeys.TABLE_SIGNAL_TTL))
                .isEqualTo(Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"novalue", ".a=1", "a.=1", "`a=1", "`a`b=1"})
    void set_malformedPath_isAProblem(String assignment) {
        assertThatThrownBy(() -> loader().set(assignment).load()).isInstanceOf(ConfigException.class);
    }

    @Test
    void store_passwordOfTheEnvironment_yieldsToTheFile() throws Exception {
        Map<String, String> environment = Map.of("KEYLINE_STORE_PASSWORD", "from environment");
        assertThat(new ConfigLoader(environment)
                        .load()
                        .get(ConfigKeys.STORE_PASSWORD)
                        .value())
                .isEqualTo("from environment");
        assertThat(new ConfigLoader(environment)
                        .set("store.password=own")
                        .load()
                        .get(ConfigKeys.STORE_PASSWORD)
                        .value())
                .isEqualTo("own");
    }

    @Test
    void store_passwordFile_isReadWithoutItsLineEnd(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("secret"), "a b\n");
        assertThat(loader().set("store.passwordFile", file.toString())
                        .load()
                        .get(ConfigKeys.STORE_PASSWORD)
                        .value())
                .isEqualTo("a b");
        assertThatThrownBy(() -> loader().set("store.passwordFile", file.toString())
                        .set("store.password=x")
                        .load())
                .hasMessageContaining("either store.password or store.passwordFile");
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
        List<String> problems = refusals(yaml);
        assertThat(problems).as("accepted: " + yaml).isNotEmpty();
        return problems;
    }

    /** Returns the errors of a configuration; empty if it is valid. */
    private static List<String> refusals(String yaml) {
        try {
            loader().yaml(yaml, "test").load();
            return List.of();
        } catch (ConfigException e) {
            return e.problems().stream().map(Object::toString).toList();
        }
    }

    private static Stream<ConfigKey<?>> keys() {
        return ConfigKeys.ALL.stream();
    }

    /** Returns YAML that sets one key. */
    private static String nested(ConfigKey<?> key, String value) {
        if (key.section().equals("users[]")) {
            return "users: [{" + (key.equals(ConfigKeys.USER_NAME) ? "" : "name: a, ") + key.name() + ": " + value
                    + "}]";
        }
        String[] names = key.path().split("[.]");
        return String.join(": {", names) + ": " + value + "}".repeat(names.length - 1);
    }
}
