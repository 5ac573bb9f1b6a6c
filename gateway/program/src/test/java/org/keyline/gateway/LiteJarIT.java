package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.MariaDb;

/** The program without the embedded store, as it was packaged. */
final class LiteJarIT {
    private static final Path JAR = Path.of("..", "target", "keyline-lite.jar");
    private static final Path FULL_JAR = Path.of("..", "target", "keyline.jar");
    private static final String READY = "keyline ready on ";
    private static final int TIMEOUT_SECONDS = 60;

    @TempDir
    private Path directory;

    @BeforeAll
    static void packaged() {
        assumeThat(JAR).exists();
    }

    @Test
    void size_isAtMost25Megabytes() throws IOException {
        assertThat(Files.size(JAR)).isLessThanOrEqualTo(25_000_000);
    }

    /**
     * Classes of the parser load each other lazily. A class that the jar lacks would fail a
     * client's statement.
     */
    @Test
    void parser_hasAllClassesThatItRefersTo() throws Exception {
        List<String> missing = new ArrayList<>();
        int loaded = 0;
        try (JarFile jar = new JarFile(JAR.toFile());
                URLClassLoader loader =
                        new URLClassLoader(new URL[] {JAR.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            for (String name : jar.stream().map(JarEntry::getName).toList()) {
                // The advisor completes statements in an editor, and queries an engine.
                if (name.startsWith("org/apache/calcite/sql/")
                        && name.endsWith(".class")
                        && !name.contains("/sql/advise/")) {
                    String type =
                            name.substring(0, name.length() - ".class".length()).replace('/', '.');
                    try {
                        Class.forName(type, true, loader);
                        loaded++;
                    } catch (LinkageError lacking) {
                        missing.add(type + ": " + lacking);
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(loaded).isGreaterThan(500);
    }

    @Test
    void licences_areThoseOfTheProgramAndOfEachLibrary() throws IOException {
        for (Path packaged : List.of(JAR, FULL_JAR)) {
            try (JarFile jar = new JarFile(packaged.toFile())) {
                for (String name : List.of("LICENSE", "NOTICE")) {
                    byte[] ours = Files.readAllBytes(Path.of("..", "..", name));
                    try (InputStream entry = jar.getInputStream(jar.getEntry(name))) {
                        assertThat(entry.readAllBytes()).as(name).isEqualTo(ours);
                    }
                }
                try (InputStream list = jar.getInputStream(jar.getEntry("META-INF/THIRD-PARTY.txt"))) {
                    assertThat(new String(list.readAllBytes(), StandardCharsets.UTF_8))
                            .contains("netty-handler", "mysql-connector-j", "calcite-core", "caffeine");
                }
                List<String> licences = jar.stream()
                        .map(JarEntry::getName)
                        .filter(name -> name.startsWith("META-INF/licenses/"))
                        .toList();
                for (String library : List.of("mysql-connector-j", "calcite-core", "caffeine")) {
                    assertThat(licences).anyMatch(name -> name.startsWith("META-INF/licenses/" + library));
                }
            }
        }
    }

    @Test
    void embeddedStore_isRefusedByName() throws Exception {
        Path errors = directory.resolve("stderr");
        Process process = run(errors, "--demo");
        assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(Files.readString(errors)).contains("store.url: duckdb:memory (expected: mysql://HOST:PORT");
    }

    @Test
    void inFrontOfMariaDb_answers() throws Exception {
        MariaDb store = MariaDb.get("second");
        Path errors = directory.resolve("stderr");
        Process process = run(
                errors,
                "--store",
                "mysql://127.0.0.1:" + store.port(),
                "--set",
                "store.user=" + MariaDb.USER,
                "--set",
                "store.password=" + MariaDb.PASSWORD);
        try {
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            String line = out.readLine();
            assertThat(line).as(Files.readString(errors)).startsWith(READY);
            String url = "jdbc:mysql://" + line.substring(READY.length()) + "/?user=" + MariaDb.USER + "&password="
                    + MariaDb.PASSWORD + "&allowPublicKeyRetrieval=true";
            try (Connection connection = DriverManager.getConnection(url);
                    Statement sql = connection.createStatement();
                    ResultSet rows = sql.executeQuery("SELECT 42")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(42);
            }
        } finally {
            process.destroy();
        }
        assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private static Process run(Path errors, String... arguments) throws IOException {
        List<String> command = GatewayProcess.java();
        command.addAll(
                List.of("-Xmx256m", "-jar", JAR.toString(), "serve", "--listen", "127.0.0.1:0", "--http", "off"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(errors.toFile()).start();
    }
}
