package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.FreePorts;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;

/** What becomes of a process whose jar is replaced, or written into, while it runs. */
final class ProgramFileIT {
    private static final Path JAR = Path.of("target", "keyline.jar");
    private static final String VIEWS = "SELECT COUNT(*) FROM keyline.tables";

    private static MariaDb store;

    @TempDir
    private Path directory;

    private Path jar;
    private Path errors;

    @BeforeAll
    static void define() throws Exception {
        assumeThat(JAR).exists();
        store = MariaDb.get("pipelines");
        try (Connection straight = DriverManager.getConnection(store.jdbc(""))) {
            Lines.run(
                    straight,
                    "CREATE DATABASE IF NOT EXISTS replaced",
                    "CREATE OR REPLACE TABLE replaced.t (id INT PRIMARY KEY, v INT)",
                    "INSERT INTO replaced.t VALUES (1, 0), (2, 0)");
        }
    }

    @BeforeEach
    void name() {
        jar = directory.resolve("keyline.jar");
        errors = directory.resolve("stderr");
    }

    private GatewayProcess start(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--store",
                "mysql://127.0.0.1:" + store.port(),
                "--store-user",
                MariaDb.USER,
                "--store-password",
                MariaDb.PASSWORD));
        arguments.addAll(List.of(more));
        return GatewayProcess.startCopy(
                jar, ProcessBuilder.Redirect.to(errors.toFile()), arguments.toArray(String[]::new));
    }

    private static Connection connect(GatewayProcess gateway, String options) throws SQLException {
        return DriverManager.getConnection(store.jdbc("replaced")
                        .replace(
                                ":" + store.port() + "/",
                                ":" + gateway.address().port() + "/")
                + options);
    }

    /** Into the same file, as {@code cp} does. */
    private void overwrite() throws IOException {
        Files.writeString(jar, "no jar any more");
    }

    /** What takes classes, resources and native libraries that nothing has taken before. */
    @Test
    void fileThatIsReplacedByARename_isNotNoticed() throws Exception {
        int http = FreePorts.next();
        try (GatewayProcess gateway = start("--http", "127.0.0.1:" + http)) {
            Files.move(Files.writeString(directory.resolve("next"), "no jar"), jar, StandardCopyOption.ATOMIC_MOVE);
            try (Connection client = connect(gateway, "&useServerPrepStmts=true");
                    PreparedStatement read = client.prepareStatement("SELECT v FROM t WHERE id = ?")) {
                for (int i = 0; i < 5; i++) {
                    read.setInt(1, 1);
                    read.executeQuery().close();
                }
                Lines.run(client, "START TRANSACTION", "UPDATE t SET v = 1 WHERE id = 2", "COMMIT", "KEYLINE RELOAD");
                assertThat(Lines.one(client, "SELECT v FROM t WHERE id = 2")).isEqualTo("1");
                assertThat(Lines.one(client, VIEWS)).isNotEqualTo("0");
                assertThat(Lines.one(client, "KEYLINE EXPLAIN SELECT v FROM t WHERE id = 2"))
                        .isNotEmpty();
            }
            for (String path : List.of("/", "/page.js", "/page.css", "/metrics", "/health")) {
                assertThat(status(http, path)).as(path).isEqualTo(200);
            }
            gateway.process().destroy();
            assertThat(gateway.await()).isZero();
        }
        assertThat(Files.readString(errors)).contains("stopped").doesNotContain("ERROR", "WARN", "Exception");
    }

    /** How far the drain comes depends on what is loaded. */
    @Test
    void fileThatIsOverwritten_isTold_andEndsTheProcess() throws Exception {
        try (GatewayProcess gateway = start("--warm-up", "on");
                Connection client = connect(gateway, "")) {
            client.setAutoCommit(false);
            Lines.run(client, "UPDATE t SET v = 7 WHERE id = 1");
            overwrite();
            Lines.soon("it is told").until(() -> Files.readString(errors).contains("was overwritten"));
            // Its own end would be a statement; and nobody waits for the transaction any more.
            client.abort(Runnable::run);
            assertThat(gateway.await()).isEqualTo(4);
            assertThatThrownBy(() -> connect(gateway, "")).isInstanceOf(SQLException.class);
        }
        assertThat(Files.readString(errors)).contains("draining").doesNotContain("UncaughtExceptionHandler");
    }

    @Test
    void classThatCannotBeLoadedAnyMore_endsTheProcess() throws Exception {
        try (GatewayProcess gateway = start();
                Connection client = connect(gateway, "")) {
            // It keeps the process from draining at once.
            client.setAutoCommit(false);
            Lines.run(client, "UPDATE t SET v = 8 WHERE id = 2");
            overwrite();
            assertThatThrownBy(() -> Lines.one(client, VIEWS)).isInstanceOf(SQLException.class);
            assertThat(gateway.await()).isEqualTo(4);
        }
        assertThat(Files.readString(errors)).contains("a class cannot be loaded");
    }

    private static int status(int http, String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + path))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
