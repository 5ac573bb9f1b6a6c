package org.keyline.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The configuration that the Debian package installs is valid, and so are the settings in its
 * comments.
 */
final class PackagedConfigurationTest {
    private static final Path FILE = Path.of("..", "..", "packaging", "src", "files", "keyline.yaml");
    /** A key that is commented out: indented by two spaces a level, unlike text. */
    private static final Pattern COMMENTED = Pattern.compile("^( *)#((?:  )*[A-Za-z]+:.*)$", Pattern.MULTILINE);

    private static final int COMMENTED_KEYS = 14;

    @TempDir
    private Path directory;

    @Test
    void file_asItStands_isGood() throws Exception {
        assertThat(load(Files.readString(FILE)).isRemote()).isFalse();
    }

    @Test
    void file_withAllThatIsCommentedOut_isGood() throws Exception {
        String file = Files.readString(FILE);
        assertThat(COMMENTED.matcher(file).results().count()).isEqualTo(COMMENTED_KEYS);
        Path password = Files.writeString(directory.resolve("password"), "secret");
        GatewayConfig config = load(COMMENTED
                .matcher(file)
                .replaceAll("$1$2")
                // Its comments show a server as store.
                .replace("duckdb:/var/lib/keyline/keyline.duckdb", "mysql://127.0.0.1:3306")
                .replace("/etc/keyline/store.password", password.toString())
                .replace("/var/log/keyline", directory.toString()));
        assertThat(config.get(ConfigKeys.STORE_PASSWORD).value()).isEqualTo("secret");
        GatewayConfig ofServer = load("store: {url: 'mysql://127.0.0.1:3306'}");
        assertThat(config.get(ConfigKeys.CACHE_TTL)).isEqualTo(ofServer.get(ConfigKeys.CACHE_TTL));
        assertThat(config.get(ConfigKeys.CACHE_SIZE)).isEqualTo(load("").get(ConfigKeys.CACHE_SIZE));
        assertThat(config.get(ConfigKeys.LOG_SLOW_THRESHOLD)).isEqualTo(load("").get(ConfigKeys.LOG_SLOW_THRESHOLD));
    }

    private static GatewayConfig load(String yaml) throws ConfigException {
        return new ConfigLoader(Map.of()).yaml(yaml, "keyline.yaml").load();
    }
}
