package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.stores.duckdb.engine.DatabaseUnavailableException;
import org.keyline.stores.duckdb.engine.EngineOptions;

/**
 * The contents of the file: acknowledged writes after a kill, definitions after a restart, and
 * files that are no database.
 */
final class DurabilityTest {
    @TempDir
    private Path directory;

    /**
     * The time limit for a child's writes; it starts a virtual machine and an engine, perhaps on a
     * busy machine.
     */
    private static final int CHILD_SECONDS = 120;

    private static final int WRITES = 200;

    /**
     * A process that acknowledges writes on its output until it is killed; it ends with status 1 if
     * one of them fails.
     */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            try {
                write(arguments);
            } catch (Exception e) {
                e.printStackTrace();
                // The store's threads would keep the process alive.
                Runtime.getRuntime().halt(1);
            }
        }

        private static void write(String[] arguments) throws Exception {
            PrintStream out = new PrintStream(
                    new java.io.FileOutputStream(java.io.FileDescriptor.out), true, StandardCharsets.UTF_8);
            StoreServer server = StoreServer.onFile(Path.of(arguments[0]));
            try (Connection connection = server.connect(null)) {
                run(connection, "CREATE DATABASE d");
                run(
                        connection,
                        "CREATE TABLE d.t (k INT, v VARCHAR(20)) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1");
                for (int i = 0; ; i++) {
                    run(connection, "INSERT INTO d.t VALUES (" + i + ", 'row " + i + "')");
                    out.println(i);
                }
            }
        }
    }

    @Test
    void acknowledgedWrites_surviveKill() throws Exception {
        Path file = directory.resolve("store.db");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int acknowledged;
        try {
            acknowledged =
                    CompletableFuture.supplyAsync(() -> acknowledged(child)).get(CHILD_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(
                    "the child did not acknowledge " + WRITES + " writes in " + CHILD_SECONDS + " s", e);
        } finally {
            child.destroyForcibly().waitFor();
        }
        try (StoreServer server = StoreServer.onFile(file);
                Connection connection = server.connect("d")) {
            assertThat(rows(
                            connection,
                            "SELECT COUNT(*) FROM t WHERE k <= " + acknowledged + " AND v = CONCAT('row ', k)"))
                    .containsExactly(Integer.toString(acknowledged + 1));
            assertThat(rows(connection, "SHOW CREATE TABLE t").get(0)).contains("UNIQUE KEY(`k`)");
        }
    }

    /** Returns the last acknowledged write of a child, once there are enough. */
    private static int acknowledged(Process child) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            int last = -1;
            while (last < WRITES) {
                String line = lines.readLine();
                assertThat(line)
                        .as("the child ended early, see its standard error")
                        .isNotNull();
                last = line.chars().allMatch(Character::isDigit) ? Integer.parseInt(line) : last;
            }
            return last;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void definitions_surviveARestart_withIdsThatNeverComeAgain() throws SQLException {
        Path file = directory.resolve("demo.db");
        long id;
        try (StoreServer server = StoreServer.onFile(file);
                Connection connection = server.connect(null)) {
            for (String statement : Demo.statements()) {
                run(connection, statement);
            }
            id = table(server).id();
        }
        try (StoreServer server = StoreServer.onFile(file);
                Connection connection = server.connect("demo")) {
            assertThat(table(server).id()).isEqualTo(id);
            assertThat(rows(connection, "SELECT COUNT(*) FROM vertices WHERE user_id = 7 AND graph_id = 2"))
                    .containsExactly("10");
            for (String statement : Demo.statements()) {
                run(connection, statement);
            }
            assertThat(rows(connection, "SELECT COUNT(*) FROM users")).containsExactly("100");
            long version = server.store().catalog().version();
            run(connection, "ALTER TABLE users ADD COLUMN more INT");
            assertThat(table(server).id()).isGreaterThan(id);
            assertThat(server.store().catalog().version()).isGreaterThan(version);
        }
    }

    private static org.keyline.planner.TableSchema table(StoreServer server) {
        return java.util.Objects.requireNonNull(server.store().catalog().table("demo", "users"));
    }

    @Test
    void open_ofANewFile_letsItsOwnerAloneReadIt() throws IOException {
        Path file = directory.resolve("store.db");
        StoreServer.onFile(file).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("store.db.tmp"))))
                .isEqualTo("rwx------");
    }

    @Test
    void open_ofAFileThatIsNoDatabase_namesIt() throws IOException {
        Path file = Files.writeString(directory.resolve("bad.db"), "this is no database".repeat(1000));
        assertThatThrownBy(() -> DuckDbStore.open(EngineOptions.of(file), Clock.systemUTC()))
                .isInstanceOf(DatabaseUnavailableException.class)
                .hasMessageContaining("bad.db")
                .hasMessageContaining("damaged or not a DuckDB database");
        Path missing = directory.resolve("no/such/place.db");
        assertThatThrownBy(() -> DuckDbStore.open(EngineOptions.of(missing), Clock.systemUTC()))
                .isInstanceOf(DatabaseUnavailableException.class)
                .hasMessageContaining("does not exist");
    }

    @Test
    void open_ofAFileThatIsOpen_namesIt() {
        Path file = directory.resolve("open.db");
        try (DuckDbStore open = DuckDbStore.open(EngineOptions.of(file), Clock.systemUTC())) {
            assertThat(open.serverVersion()).startsWith("8.0");
            assertThatThrownBy(() -> DuckDbStore.open(EngineOptions.of(file), Clock.systemUTC()))
                    .isInstanceOf(DatabaseUnavailableException.class)
                    .hasMessageContaining("open.db");
        }
    }
}
