package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.ErrPacket;

/**
 * The packaged program on an embedded store whose file is damaged, or whose disk is full. Rows are
 * right or refused, and acknowledged rows exist. Prints the figures for the documentation. Takes
 * minutes: on demand, with {@code -Dkeyline.faults=true}.
 */
@EnabledIfSystemProperty(named = "keyline.faults", matches = "true")
final class EmbeddedFaultsIT {
    private static final int ROWS = 600;
    private static final int ROW_CHARACTERS = 4_000;
    private static final int PAGE = 4096;
    private static final int DISK_MEBIBYTES = 24;
    private static final int MORE_MEBIBYTES = 96;
    private static final int DRAIN_SECONDS = 3;

    @TempDir
    Path directory;

    private interface Damage {
        void to(RandomAccessFile file) throws IOException;
    }

    @Test
    void damagedFile_isRefusedOrAnswersNoWrongRow() throws Exception {
        Path sound = directory.resolve("sound.db");
        try (GatewayProcess gateway = start("sound", sound);
                TestClient client = TestClient.connect(gateway.address())) {
            createTable(client);
            for (int id = 0; id < ROWS; id++) {
                assertThat(insert(client, id)).isNull();
            }
        }
        long size = Files.size(sound);
        Map<String, Damage> damages = new TreeMap<>(Map.of(
                "empty", file -> file.setLength(0),
                "first page overwritten", file -> overwrite(file, 0, PAGE),
                "both headers overwritten", file -> overwrite(file, PAGE, 2 * PAGE),
                "cut in the middle", file -> file.setLength(size / 2),
                "a page in the middle overwritten", file -> overwrite(file, size / 2, PAGE),
                "one byte of every 64 KiB changed",
                        file -> {
                            for (long at = 3 * PAGE + 1000; at < size; at += 64 << 10) {
                                overwrite(file, at, 1);
                            }
                        },
                "its last quarter overwritten", file -> overwrite(file, size - size / 4, (int) (size / 4))));
        for (Map.Entry<String, Damage> damage : damages.entrySet()) {
            Path copy = directory.resolve("damaged.db");
            Files.deleteIfExists(copy);
            Files.copy(sound, copy);
            try (RandomAccessFile file = new RandomAccessFile(copy.toFile(), "rw")) {
                damage.getValue().to(file);
            }
            System.out.println("| file: " + damage.getKey() + " | " + started(damage.getKey(), copy) + " |");
        }
    }

    private String started(String name, Path file) throws Exception {
        GatewayProcess gateway;
        try {
            gateway = start(name, file);
        } catch (IOException refused) {
            assertThat(refused).hasMessageContaining("status 1");
            assertNoStackTrace(name);
            return "does not start: "
                    + Files.readString(directory.resolve(name)).strip();
        }
        Map<String, Integer> errors = new TreeMap<>();
        int right = 0;
        try (gateway;
                TestClient client = TestClient.connect(gateway.address())) {
            for (int id = 0; id < ROWS; id++) {
                TestClient.Answer answer = client.query("SELECT v FROM d.t WHERE id = " + id);
                if (answer.error() == null) {
                    assertThat(answer.rows()).as("row %s, %s", id, name).isEqualTo(List.of(List.of(text(id))));
                    right++;
                } else {
                    errors.merge(told(answer.error()), 1, Integer::sum);
                }
            }
        }
        assertNoStackTrace(name);
        return String.format(Locale.ROOT, "serves: %d rows right, 0 wrong, errors %s", right, errors);
    }

    @Test
    void diskFull_refusesWrites_andLosesNone() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        assertThat(run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MEBIBYTES + "m", "tmpfs", disk.toString()))
                .as("mounting needs the right to")
                .isZero();
        try {
            int acknowledged = 0;
            @Nullable ErrPacket full = null;
            double until;
            try (GatewayProcess gateway = start("full", disk.resolve("keyline.db"));
                    TestClient client = TestClient.connect(gateway.address())) {
                createTable(client);
                while (full == null) {
                    full = insert(client, acknowledged);
                    acknowledged += full == null ? 1 : 0;
                }
                @Nullable ErrPacket again = insert(client, acknowledged);
                String reads = readAll(client, acknowledged);
                assertThat(run("mount", "-o", "remount,size=" + MORE_MEBIBYTES + "m", disk.toString()))
                        .isZero();
                long room = System.nanoTime();
                @Nullable ErrPacket refused = insert(client, acknowledged);
                while (refused != null && System.nanoTime() - room < TimeUnit.SECONDS.toNanos(30)) {
                    refused = insert(client, acknowledged);
                }
                until = (System.nanoTime() - room) / 1e9;
                assertThat(told(refused)).isEqualTo("nothing");
                assertThat(readAll(client, acknowledged)).isEqualTo("all right");
                acknowledged += refused == null ? 1 : 0;
                System.out.printf(
                        Locale.ROOT,
                        "| disk full | after %d rows: %s; again: %s; reads meanwhile: %s; with room again, after %.2f s: %s |%n",
                        acknowledged,
                        told(full),
                        again == null ? "written" : told(again),
                        reads,
                        until,
                        refused == null ? "written" : told(refused));
            }
            try (GatewayProcess gateway = start("full again", disk.resolve("keyline.db"));
                    TestClient client = TestClient.connect(gateway.address())) {
                String reads = readAll(client, acknowledged);
                @Nullable ErrPacket written = insert(client, ROWS * 100);
                System.out.printf(
                        "| started again | reads: %s; writes: %s |%n", reads, written == null ? "work" : told(written));
                assertThat(reads).isEqualTo("all right");
                assertThat(written).isNull();
            }
            assertNoStackTrace("full");
            assertNoStackTrace("full again");
        } finally {
            assertThat(run("umount", disk.toString())).isZero();
        }
    }

    @Test
    void sigterm_underALongQuery_endsWithinTheBound() throws Exception {
        GatewayProcess gateway =
                start("sigterm", directory.resolve("term.db"), "--set", "drainTimeout=" + DRAIN_SECONDS + "s");
        try (TestClient client = TestClient.connect(gateway.address());
                TestClient control = TestClient.connect(gateway.address())) {
            createTable(client);
            for (int id = 0; id < 200; id++) {
                assertThat(insert(client, id)).isNull();
            }
            CompletableFuture<TestClient.Answer> endless = client.send(
                    "SELECT COUNT(*) FROM d.t a, d.t b, d.t c, d.t e, d.t f WHERE CONCAT(a.v, b.v, c.v, e.v, f.v) = 'x'");
            String processes = "";
            while (!processes.contains("SELECT COUNT")) {
                processes = control.query("SHOW PROCESSLIST").rows().toString();
            }
            long began = System.nanoTime();
            gateway.process().destroy();
            int status = gateway.await();
            double ended = (System.nanoTime() - began) / 1e9;
            String saw = endless.handle((answer, lost) -> lost == null ? told(answer.error()) : "connection lost")
                    .get(1, TimeUnit.MINUTES);
            System.out.printf(
                    Locale.ROOT,
                    "| SIGTERM under an endless query, drainTimeout %d s | status %d after %.1f s, the client saw: %s |%n",
                    DRAIN_SECONDS,
                    status,
                    ended,
                    saw);
            assertThat(status).isZero();
            assertThat(ended).isLessThan(DRAIN_SECONDS + 20);
        }
        assertNoStackTrace("sigterm");
    }

    // ---------------------------------------------------------------- rows

    private static void createTable(TestClient client) throws Exception {
        assertThat(client.query("CREATE DATABASE d").error()).isNull();
        assertThat(client.query("CREATE TABLE d.t (id BIGINT NOT NULL PRIMARY KEY, v VARCHAR(5000))")
                        .error())
                .isNull();
    }

    private static @Nullable ErrPacket insert(TestClient client, int id) throws Exception {
        return client.query("INSERT INTO d.t VALUES (" + id + ", '" + text(id) + "')")
                .error();
    }

    /** Returns an incompressible text for an id. */
    private static String text(int id) {
        Random random = new Random(id);
        StringBuilder text = new StringBuilder();
        while (text.length() < ROW_CHARACTERS) {
            text.append(Long.toString(random.nextLong(), Character.MAX_RADIX));
        }
        return text.toString();
    }

    private static String readAll(TestClient client, int rows) throws Exception {
        for (int id = 0; id < rows; id++) {
            TestClient.Answer answer = client.query("SELECT v FROM d.t WHERE id = " + id);
            if (answer.error() != null) {
                return told(answer.error());
            }
            assertThat(answer.rows()).as("row %s", id).isEqualTo(List.of(List.of(text(id))));
        }
        return "all right";
    }

    private static String told(@Nullable ErrPacket error) {
        return error == null
                ? "nothing"
                : error.code() + " " + error.message().lines().findFirst().orElse("");
    }

    private static void overwrite(RandomAccessFile file, long from, int length) throws IOException {
        byte[] garbage = new byte[length];
        new Random(from).nextBytes(garbage);
        file.seek(from);
        file.write(garbage);
    }

    // ---------------------------------------------------------------- processes

    private GatewayProcess start(String name, Path database, String... more) throws IOException {
        String[] arguments = new String[more.length + 2];
        arguments[0] = "--store";
        arguments[1] = "duckdb:" + database;
        System.arraycopy(more, 0, arguments, 2, more.length);
        return GatewayProcess.startJar(
                List.of("-Xmx256m"),
                ProcessBuilder.Redirect.to(directory.resolve(name).toFile()),
                arguments);
    }

    private void assertNoStackTrace(String name) throws IOException {
        String log = Files.readString(directory.resolve(name));
        assertThat(log.lines()).as(log).noneMatch(line -> line.startsWith("\tat "));
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
