package org.keyline.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;

/** The commands that end by themselves. */
final class MainTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void version_isOneLine() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString().strip()).startsWith("keyline ").doesNotContain("\n");
    }

    @Test
    void help_ofServe_namesEveryOption() {
        assertThat(run("serve", "--help")).isZero();
        assertThat(out.toString())
                .contains(
                        "--config",
                        "--listen",
                        "--http",
                        "--store",
                        "--store-user",
                        "--store-password",
                        "--demo",
                        "--cache",
                        "--ttl",
                        "--set");
    }

    @Test
    void noCommand_isWrongUsage() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("a command is missing");
    }

    @Test
    void unknownOption_isWrongUsage() {
        assertThat(run("serve", "--frobnicate")).isEqualTo(2);
        assertThat(err.toString().strip())
                .isEqualTo("keyline: not understood: --frobnicate (keyline serve --help lists the options)");
    }

    @Test
    void mistypedWords_areOneLineWithTheNearestOne() {
        assertThat(run("serve", "--stoer-user", "x")).isEqualTo(2);
        assertThat(run("sevre")).isEqualTo(2);
        assertThat(err.toString().lines())
                .hasSize(2)
                .first(InstanceOfAssertFactories.STRING)
                .contains("--stoer-user, did you mean --store-user?");
        assertThat(err.toString()).contains("did you mean serve?").doesNotContain("sevre");
    }

    @Test
    void optionOfServeWithoutServe_saysWhereItBelongs() {
        assertThat(run("--store", "mysql://h:1")).isEqualTo(2);
        assertThat(run("--store=mysql://h:1")).isEqualTo(2);
        assertThat(run("serve", "--stoer", "mysql://h:1")).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "keyline: not understood: --store, an option of serve: write serve before it"
                                + " (keyline --help lists the options)",
                        "keyline: not understood: --store=..., an option of serve: write serve before it"
                                + " (keyline --help lists the options)",
                        "keyline: not understood: --stoer, did you mean --store?"
                                + " (keyline serve --help lists the options)");
    }

    @Test
    void hostAndPort_areHalvesOfListen() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(taken.getLocalPort());
            assertThat(run("serve", "--host", "127.0.0.1", "--port", port, "--http", "off"))
                    .isEqualTo(1);
            assertThat(err.toString())
                    .contains("cannot listen on 127.0.0.1:" + port + ": another program listens there");
        }
        assertThat(run("serve", "--port", "many")).isEqualTo(1);
        assertThat(err.toString()).contains("listen: 127.0.0.1:many");
    }

    @Test
    void checkConfig_badFile_saysWhereAndWhatWasMeant(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("bad.yaml"), "cache:\n  tll: 2s\n  size: 0%\nttl: 1s\n");
        assertThat(run("check-config", file.toString())).isEqualTo(1);
        assertThat(err.toString())
                .contains(
                        file + " line 2, column 3: cache.tll: unknown key, did you mean ttl? (expected: ",
                        file + " line 3, column 3: cache.size: 0% (expected: ",
                        file + " line 4, column 1: ttl: unknown key, did you mean cache.ttl? (expected: ");
    }

    @Test
    void hashPassword_printsWhatUsersTake() throws Exception {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream("s3cret\n".getBytes(UTF_8)));
        try {
            assertThat(run("hash-password")).isZero();
        } finally {
            System.setIn(before);
        }
        GatewayConfig config = new ConfigLoader(Map.of())
                .file(Files.writeString(
                        directory.resolve("users.yaml"),
                        "users: [{name: app, hash: '" + out.toString().strip() + "'}]\n"))
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .load();
        try (Gateway gateway = Gateway.start(config)) {
            String url = "jdbc:mysql://" + gateway.listening() + "/?allowPublicKeyRetrieval=true&user=app&password=";
            DriverManager.getConnection(url + "s3cret").close();
            assertThatThrownBy(() -> DriverManager.getConnection(url + "other")).hasMessageContaining("Access denied");
        }
    }

    @Test
    void rootPassword_ofTheEnvironment_isAskedOfRoot() throws Exception {
        GatewayConfig config = new ConfigLoader(Map.of("KEYLINE_ROOT_PASSWORD", "s3cret"))
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .load();
        try (Gateway gateway = Gateway.start(config)) {
            String url = "jdbc:mysql://" + gateway.listening() + "/?sslMode=DISABLED&user=root&password=";
            DriverManager.getConnection(url + "s3cret").close();
            assertThatThrownBy(() -> DriverManager.getConnection(url)).hasMessageContaining("Access denied");
        }
    }

    @Test
    void help_ofServe_listsEveryKeyWithItsDefault() {
        assertThat(run("serve", "--help")).isZero();
        assertThat(ConfigKeys.ALL).allMatch(key -> out.toString().contains("  " + key.path() + "="));
        assertThat(out.toString()).contains("cache.size=SIZE|SHARE (20%)", "--ttl=DURATION");
    }

    @Test
    void wrongUsage_withASecretInTheWrongPlace_doesNotShowIt() {
        assertThat(run("serve", "--store-password", "a", "topsecret", "--passwd=topsecret"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--passwd=...").doesNotContain("topsecret");
    }

    @Test
    void checkConfig_show_hasEveryKeyAndNoSecret(@TempDir Path directory) throws Exception {
        Path file =
                Files.writeString(directory.resolve("shown.yaml"), "cache: {ttl: 2s}\nstore: {password: topsecret}\n");
        assertThat(run("check-config", "--show", file.toString())).isZero();
        assertThat(out.toString())
                .contains("cache.ttl: 2s\n", "cache.prefix: auto (default)\n", "store.password: ***\n")
                .doesNotContain("topsecret");
    }

    @Test
    void checkConfig_goodFile_saysSo(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("good.yaml"), "cache: {ttl: 2s}\n");
        assertThat(run("check-config", file.toString())).isZero();
        assertThat(out.toString()).contains("is valid");
    }

    @Test
    void checkConfig_badFile_namesEveryProblem(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("bad.yaml"), "cache: {ttl: 2, size: 0%}\nfrob: 1\n");
        assertThat(run("check-config", file.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("3 problem(s)", "cache.ttl: 2", "cache.size: 0%", "frob: unknown key");
    }

    @Test
    void checkConfig_diff_tellsWhatChangesAndWhatNeedsARestart(@TempDir Path directory) throws Exception {
        Path before = Files.writeString(
                directory.resolve("before.yaml"),
                "cache: {ttl: 2s}\nstore: {password: topsecret}\ntables: {shop: {items: {prefix: 1}}}\n");
        Path after = Files.writeString(
                directory.resolve("after.yaml"),
                "cache: {ttl: 3s}\nstore: {password: othersecret}\nlisten: 127.0.0.1:9999\n");
        assertThat(run("check-config", after.toString(), "--diff", before.toString()))
                .isZero();
        assertThat(out.toString())
                .contains(
                        "cache.ttl: 2s -> 3s (by reload)\n",
                        "tables.shop.items.prefix: 1 -> none (by reload)\n",
                        "listen: 127.0.0.1:9030 -> 127.0.0.1:9999 (by restart)\n",
                        "store.password: *** -> *** (by restart)\n",
                        "after.yaml is valid\n")
                .doesNotContain("secret", "cache.prefix");
    }

    @Test
    void checkConfig_diff_withABadOtherFile_isRefused(@TempDir Path directory) throws Exception {
        Path before = Files.writeString(directory.resolve("before.yaml"), "cache: {ttl: soon}\n");
        Path after = Files.writeString(directory.resolve("after.yaml"), "cache: {ttl: 3s}\n");
        assertThat(run("check-config", after.toString(), "--diff", before.toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("cache.ttl: soon");
    }

    @Test
    void checkConfig_missingFile_isRefused() {
        assertThat(run("check-config", "/nowhere/at/all.yaml")).isEqualTo(1);
        assertThat(err.toString()).contains("/nowhere/at/all.yaml: no such file (expected: a readable YAML file)");
    }

    @Test
    void serve_badSettings_areRefusedTogether() {
        assertThat(run("serve", "--listen", "nowhere", "--ttl", "5", "--cache", "maybe", "--set", "x=1"))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("4 problem(s)", "listen: nowhere", "cache.ttl: 5", "cache.enabled: maybe", "x: unknown");
    }

    @Test
    void serve_remoteStore_isRefusedWithAClearMessage() {
        String[] command =
                "serve --listen 127.0.0.1:0 --http off --store mysql://127.0.0.1:1 --set store.startTimeout=1s"
                        .split(" ", -1);
        assertThat(run(command)).isEqualTo(1);
        assertThat(err.toString()).contains("Keyline cannot reach the store at 127.0.0.1:1: connection refused");
    }

    @Test
    void serve_portInUse_isRefusedWithAClearMessage() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run("serve", "--listen", "127.0.0.1:" + taken.getLocalPort(), "--http", "off"))
                    .isEqualTo(1);
            assertThat(err.toString()).contains("cannot listen on 127.0.0.1:" + taken.getLocalPort());
        }
    }

    private int run(String... args) {
        return Main.run(args, new PrintWriter(out, true), new PrintWriter(err, true));
    }
}
