package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.views.Clients;

/** A reload that changes users in a way that needs a restart names them, and applies nothing. */
final class UserChangesTest {
    private static final String TWO = "{name: ops, plugin: none}, {name: app, plugin: none}";

    private String users = "";
    private String ttl = "1s";

    @TempDir
    private Path directory;

    @BeforeEach
    void begin() {
        users = TWO;
    }

    private ConfigLoader written() {
        try {
            return new ConfigLoader(Map.of())
                    .file(Files.writeString(
                            directory.resolve("keyline.yaml"), "{users: [" + users + "], cache: {ttl: " + ttl + "}}"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LiveConfig live() throws ConfigException {
        LiveConfig live = LiveConfig.read(this::written);
        live.beforeChange(new UserChanges(live, new Clients()));
        return live;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "|users: none (expected: no change between users and none",
                "{name: app, plugin: none, readOnly: true}|users[0].readOnly: unknown key",
                "{name: ops, plugin: none}, {name: ops, plugin: none}|users[1].name: ops (expected: each user once",
                "{name: ops, plugin: none, storeUser: root}|users[0].storeUser: root (expected: none on an embedded",
                "{name: ops, plugin: some}|users[0].plugin: some (expected:",
                "{name: ops, hash: topsecret}|users[0].hash: *** (expected:",
                "{plugin: none}|users[0].name: missing (expected:",
            })
    void change_thatDoesNotStand_isRefusedByNameAndChangesNothing(String changed, String told) throws Exception {
        LiveConfig live = live();
        GatewayConfig before = live.config();
        users = changed == null ? "" : changed;
        ttl = "7s";
        assertThatThrownBy(() -> live.reload(false))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(told)
                .hasMessageNotContaining("topsecret");
        assertThat(live.config()).isSameAs(before);
        users = TWO;
        assertThat(live.reload(false)).extracting(LiveConfig.Change::path).contains("cache.ttl");
        assertThat(live.get(ConfigKeys.CACHE_TTL)).hasSeconds(7);
    }

    @Test
    void firstUser_isRefused() throws Exception {
        users = "";
        LiveConfig live = live();
        users = TWO;
        assertThatThrownBy(() -> live.reload(false))
                .hasMessageContaining("users: 2, previously none (expected: no change");
        assertThat(live.config().users()).isEmpty();
    }

    @Test
    void otherUsers_comeAndGo() throws Exception {
        LiveConfig live = live();
        users = "{name: ops, plugin: none}, {name: late, plugin: none}";
        live.reload(false);
        assertThat(live.config().users()).extracting(GatewayConfig.User::name).containsExactly("ops", "late");
        users = TWO;
        live.reload(false);
        assertThat(live.config().users()).extracting(GatewayConfig.User::name).containsExactly("ops", "app");
    }
}
