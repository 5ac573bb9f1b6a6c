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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /** Wrong usage is one line; without a command, the help follows. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                | 2 | a command is missing
            serve --frobnicate                | 2 | keyline: not understood: --frobnicate (keyline serve --help lists the options)
            serve --stoer-user x              | 2 | --stoer-user, did you mean --store-user?
            sevre                             | 2 | did you mean serve?
            --store mysql://h:1               | 2 | keyline: not understood: --store, an option of serve: write serve before it (keyline --help lists the options)
            --store=mysql://h:1               | 2 | keyline: not understood: --store=..., an option of serve: write serve before it (keyline --help lists the options)
            serve --stoer mysql://h:1         | 2 | keyline: not understood: --stoer, did you mean --store? (keyline serve --help lists the options)
            serve --store-password a topsecret --passwd=topsecret | 2 | --passwd=...
            serve --port many                 | 1 | listen: 127.0.0.1:many
            check-config /nowhere/at/all.yaml | 1 | /nowhere/at/all.yaml: no such file (expected: a readable YAML file)
            serve --listen 127.0.0.1:0 --http off --store mysql://127.0.0.1:1 --set store.startTimeout=1s | 1 | Keyline cannot reach the store at 127.0.0.1:1: connection refused
            """)
    void words_thatCannotBeRun_areRefused(String words, int status, String error) {
        assertThat(run(words.isEmpty() ? new String[0] : words.split(" ", -1))).isEqualTo(status);
        assertThat(err.toString()).contains(error).doesNotContain("topsecret", "sevre");
        if (status == 2 && !words.isEmpty()) {
            assertThat(err.toString().lines()).hasSize(1);
        }
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
    }

    @Test
    void checkConfig_badFile_saysWhereAndWhatWasMeant(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("bad.yaml"), "cache:\n  tll: 2s\n  size: 0%\nttl: 1s\n");
        assertThat(run("check-config", file.toString())).isEqualTo(1);
        assertThat(err.toString())
                .contains(
                        "3 problem(s)",
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
        assertThat(out.toString())
                .contains(
                        "cache.size=SIZE|SHARE (20%)",
                        "--ttl=DURATION",
                        "--config",
                        "--listen",
                        "--http",
                        "--store",
                        "--store-user",
                        "--store-password",
                        "--demo",
                        "--cache",
                        "--set");
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
    void serve_badSettings_areRefusedTogether() {
        assertThat(run("serve", "--listen", "nowhere", "--ttl", "5", "--cache", "maybe", "--set", "x=1"))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("4 problem(s)", "listen: nowhere", "cache.ttl: 5", "cache.enabled: maybe", "x: unknown");
    }

    private int run(String... args) {
        return Main.run(args, new PrintWriter(out, true), new PrintWriter(err, true));
    }
}
