package org.keyline.gateway.relay;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.PreparedStatement;

/**
 * The configuration changes while clients read, by KEYLINE SET and by KEYLINE RELOAD. Lines from
 * before must not show states that the new settings exclude.
 */
class ReloadIT {
    private static final MariaDb STORE = MariaDb.get("second");
    private static final String READ = "SELECT v FROM items WHERE a = 1 AND b = 1";

    @TempDir
    private Path directory;

    private Path file;
    private Connection straight;
    private Statement store;
    private RelayGateway gateway;
    private Connection connection;
    private Statement sql;

    @BeforeEach
    void start() throws Exception {
        straight = STORE.connect("");
        store = straight.createStatement();
        for (String statement : List.of(
                "CREATE DATABASE IF NOT EXISTS reload",
                "CREATE OR REPLACE TABLE reload.items (a INT, b INT, v INT, PRIMARY KEY (a, b))",
                "INSERT INTO reload.items VALUES (1, 1, 10), (1, 2, 20)")) {
            store.execute(statement);
        }
        file = Files.writeString(
                directory.resolve("keyline.yaml"),
                "privilegeTtl: 1h\nloadConnections: 8\nfilter: {enabled: true}\ncache: {loadTimeout: 1h}\n");
        gateway = RelayGateway.start(STORE, file);
        connection = gateway.connect("reload");
        sql = connection.createStatement();
    }

    @AfterEach
    void stop() throws Exception {
        connection.close();
        gateway.close();
        straight.close();
    }

    private List<List<String>> rows(String statement) throws SQLException {
        List<List<String>> rows = new ArrayList<>();
        if (sql.execute(statement)) {
            try (ResultSet result = sql.getResultSet()) {
                while (result.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                        row.add(result.getString(i));
                    }
                    rows.add(row);
                }
            }
        }
        return rows;
    }

    /** Reads until a line answers. */
    private void warm(int expected) throws SQLException {
        for (int i = 0; i < 1_000; i++) {
            assertThat(rows(READ)).isEqualTo(List.of(List.of(String.valueOf(expected))));
            if (fromLines()) {
                return;
            }
        }
        throw new AssertionError("no line answers: " + rows("KEYLINE LAST"));
    }

    private boolean fromLines() throws SQLException {
        return rows("SELECT source FROM keyline.last").get(0).get(0).equals("line");
    }

    private List<String> setting(String path) throws SQLException {
        return rows("SELECT value, source FROM keyline.settings WHERE path = '" + path + "'")
                .get(0);
    }

    @Test
    void set_theFirstKeyOfATable_changesThisKeyAlone() throws Exception {
        for (String value : List.of("full", "DEFAULT")) {
            assertThat(rows("KEYLINE SET tables.reload.other.prefix = " + value))
                    .extracting(row -> row.get(0))
                    .containsExactly("tables.reload.other.prefix");
        }
    }

    @Test
    void set_aSmallerBudget_evictsLines_andALargerOneKeepsThemAgain() throws Exception {
        store.execute("CREATE OR REPLACE TABLE reload.long_rows (a INT PRIMARY KEY, t VARCHAR(4000))");
        store.execute("INSERT INTO reload.long_rows SELECT seq, REPEAT('x', 3000) FROM reload.seq_1_to_600");
        String read = "SELECT * FROM long_rows WHERE a = ";
        fill(read, 1_700_000);
        rows("KEYLINE SET cache.size = '1MiB'");
        // Filter lines may use a quarter of it.
        Lines.soon("evictions").until(() -> lineBytes() <= 3 << 18);
        assertThat(setting("cache.size")).isEqualTo(List.of("1MiB", "set"));
        assertThat(rows(read + 7).get(0).get(0)).isEqualTo("7");
        refused(1231, "KEYLINE SET filter.size = '2MiB'", "filter.size: 2 MiB (expected: less than cache.size");
        rows("KEYLINE SET cache.size = DEFAULT");
        fill(read, 1_700_000);
    }

    /** Reads rows until lines have this many bytes. */
    private void fill(String read, long wanted) {
        Lines.soon("lines").until(() -> {
            for (int a = 1; a <= 600; a++) {
                rows(read + a);
            }
            return lineBytes() > wanted;
        });
    }

    private long lineBytes() throws SQLException {
        return rows("SELECT line_bytes FROM keyline.tables").stream()
                .mapToLong(row -> Long.parseLong(row.get(0)))
                .sum();
    }

    @Test
    void set_fewerConnectionsOrStatements_holdsForTheNextOne() throws Exception {
        rows("KEYLINE SET limits.connections = 2");
        gateway.connect("reload").close();
        Lines.soon("the place of the one that left").until(() -> {
            try (Connection second = gateway.connect("reload")) {
                assertThatThrownBy(() -> gateway.connect("reload"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getErrorCode()).isEqualTo(1040));
                return !second.isClosed();
            } catch (SQLException left) {
                return false;
            }
        });
        rows("KEYLINE SET limits.connections = DEFAULT");
        try (TestClient client = gateway.client("reload")) {
            PreparedStatement first = client.prepare("SELECT v FROM items WHERE a = ? AND b = ?");
            rows("KEYLINE SET limits.preparedStatementsPerSession = 1");
            ErrPacket refused = requireNonNull(
                    client.prepareRefused("SELECT 1 FROM items WHERE v = ?").error());
            assertThat(refused.code()).isEqualTo(1461);
            assertThat(refused.message()).contains("(current value: 1)");
            assertThat(client.execute(first, 1, 1).rows()).isEqualTo(List.of(List.of("10")));
            rows("KEYLINE SET limits.preparedStatementsPerSession = 2");
            assertThat(client.prepare("SELECT 1 FROM items WHERE v = ?").id()).isPositive();
        }
    }

    @Test
    void reload_withTheFirstUsers_isRefusedAndChangesNothing() throws Exception {
        Files.writeString(
                file, "users: [{name: app, plugin: none, storeUser: " + MariaDb.USER + "}]\ncache: {autoRows: 3}\n");
        refused(1231, "KEYLINE RELOAD", "users: 1, previously none (expected: no user; restart");
        assertThat(setting("cache.autoRows")).isEqualTo(List.of("1000", "default"));
    }

    @Test
    void reload_ofAFileThatLostItsGuards_isRefused_unlessItIsForced() throws Exception {
        String guarded = "cache: {ttl: 30s}\naccess: {changes: keyline, httpToken: s3cret}\n";
        Files.writeString(file, guarded);
        rows("KEYLINE RELOAD");
        Files.writeString(file, "");
        refused(1231, "KEYLINE RELOAD", "a file without any key", "access", "KEYLINE RELOAD FORCE");
        Files.writeString(file, "# all of it was commented out\n");
        refused(1231, "KEYLINE RELOAD", "a file without any key");
        Files.writeString(file, guarded.substring(0, guarded.indexOf("access")));
        refused(1231, "KEYLINE RELOAD", "access");
        assertThat(setting("access.httpToken")).isEqualTo(List.of("***", "file"));
        assertThat(rows("KEYLINE RELOAD FORCE")).extracting(row -> row.get(0)).contains("access.httpToken");
    }

    @Test
    void reload_appliesWhatCanBe_tellsWhatNeedsARestart_andEndsWhatWasSet() throws Exception {
        warm(10);
        rows("KEYLINE SET cache.autoRows = 7");
        Files.writeString(
                file,
                "privilegeTtl: 2h\nloadConnections: 9\nfilter: {enabled: true}\ntables: {reload: {items: {prefix: 1, ttl: 5m}}}\n");
        assertThat(rows("KEYLINE RELOAD"))
                .contains(
                        List.of("loadConnections", "8", "9", "needs a restart"),
                        List.of("privilegeTtl", "1h", "2h", "applied"),
                        List.of("cache.autoRows", "7", "1000", "applied"))
                .anySatisfy(row ->
                        assertThat(row).startsWith("tables.reload.items.ttl").endsWith("5m", "applied"));
        assertThat(setting("loadConnections")).isEqualTo(List.of("8", "file"));
        assertThat(setting("privilegeTtl")).isEqualTo(List.of("2h", "file"));
        assertThat(setting("tables.reload.items.ttl")).isEqualTo(List.of("5m", "file"));
        assertThat(setting("cache.autoRows")).isEqualTo(List.of("1000", "default"));
        warm(10);
        assertThat(rows("SELECT prefix, ttl_ms FROM keyline.tables WHERE table_name = 'items'"))
                .isEqualTo(List.of(List.of("1", "300000")));

        Files.writeString(file, "cache: {ttl: 7s, prefix: many}\ntables: {reload: {items: {ttl: never}}}\n");
        refused(1231, "KEYLINE RELOAD", "cache.prefix: many (expected:", "tables.reload.items.ttl: never (expected:");
        assertThat(setting("tables.reload.items.ttl")).isEqualTo(List.of("5m", "file"));
        assertThat(rows(READ)).isEqualTo(List.of(List.of("10")));
        assertThat(fromLines()).isTrue();
    }

    private void refused(int code, String statement, String... received) {
        assertThatThrownBy(() -> sql.execute(statement))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(code))
                .hasMessageContainingAll(received);
    }
}
