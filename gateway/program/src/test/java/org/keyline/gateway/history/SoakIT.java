package org.keyline.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.fixtures.Lines.one;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.Counters;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * The packaged program under mixed traffic for {@code -Dkeyline.soak.minutes=60} minutes: rows are
 * right, and the process's resources do not grow. Clients read and write, connect and disconnect,
 * prepare and close statements, and read long rows. Definitions change; the network to the store is
 * sometimes slow or interrupted. Samples are in {@code target/soak.csv}, drawn in
 * {@code target/soak.svg}.
 */
@EnabledIfSystemProperty(named = "keyline.soak.minutes", matches = "\\d+")
final class SoakIT {
    private static final int SAMPLES = 240;
    private static final int FAULT_SECONDS = 20;
    private static final int LATE_MICROS = 20_000;
    private static final String LOGIN = "?user=app&password=secret&allowPublicKeyRetrieval=true&useServerPrepStmts=true"
            + "&connectTimeout=10000&socketTimeout=30000";

    @TempDir
    Path directory;

    /**
     * One sample of the process: its memory, files and threads, and its clients' sessions at the
     * store.
     */
    private record Sample(double seconds, long mebibytes, long files, long threads, long sessions) {
        static final String HEAD = "seconds,resident_mib,file_descriptors,threads,store_sessions";

        static Sample of(long began, long pid, Connection admin) throws IOException, SQLException {
            Path process = Path.of("/proc", Long.toString(pid));
            try (Stream<Path> files = Files.list(process.resolve("fd"));
                    Stream<Path> threads = Files.list(process.resolve("task"));
                    Stream<String> status = Files.lines(process.resolve("status"))) {
                long kibibytes = status.filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .sum();
                return new Sample(
                        (System.nanoTime() - began) / 1e9,
                        kibibytes >> 10,
                        files.count(),
                        threads.count(),
                        sessionsOf(admin));
            }
        }

        long[] figures() {
            return new long[] {mebibytes, files, threads, sessions};
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%.0f,%d,%d,%d,%d", seconds, mebibytes, files, threads, sessions);
        }
    }

    @Test
    void mixedTraffic_leavesMemoryFilesThreadsAndSessionsFlat() throws Exception {
        long lasts = TimeUnit.MINUTES.toNanos(Long.getLong("keyline.soak.minutes"));
        MariaDb store = MariaDb.get("soak");
        Path errors = directory.resolve("stderr");
        AtomicBoolean ended = new AtomicBoolean();
        AtomicInteger visits = new AtomicInteger();
        AtomicInteger definitions = new AtomicInteger();
        List<Sample> samples = new ArrayList<>();
        try (Connection admin = store.connect("");
                TcpProxy proxy = new TcpProxy(store.address())) {
            prepare(admin);
            try (GatewayProcess gateway = start(proxy.port(), errors)) {
                String url = "jdbc:mysql://" + gateway.address() + "/soak" + LOGIN;
                Counters counters = new Counters(url).begin();
                List<CompletableFuture<Void>> others = List.of(
                        CompletableFuture.runAsync(() -> comeAndGo(url, ended, visits)),
                        CompletableFuture.runAsync(() -> define(url, ended, definitions)));
                long began = System.nanoTime();
                for (int i = 1; i <= SAMPLES; i++) {
                    long next = began + lasts * i / SAMPLES;
                    misbehave(proxy, began);
                    while (System.nanoTime() < next) {
                        LockSupport.parkNanos(next - System.nanoTime());
                    }
                    samples.add(Sample.of(began, gateway.process().pid(), admin));
                }
                proxy.delay(0);
                ended.set(true);
                for (CompletableFuture<Void> other : others) {
                    other.get(2, TimeUnit.MINUTES);
                }
                counters.end();
                counters.verify(admin);
                await().atMost(1, TimeUnit.MINUTES).until(() -> sessionsOf(admin) == 0);
                System.out.printf(
                        Locale.ROOT,
                        "%,d reads and %,d writes right, %,d visits, %,d changes of definitions, %,d statements or logins failed%n",
                        counters.reads(),
                        counters.writes(),
                        visits.get(),
                        definitions.get(),
                        counters.failures());
            }
        }
        tell(samples);
        assertThat(Files.readString(errors).lines()).noneMatch(line -> line.startsWith("\tat "));
        String[] names = {"memory in MiB", "file descriptors", "threads", "sessions at the store"};
        long[] slack = {32, 8, 4, 6};
        for (int i = 0; i < names.length; i++) {
            // The first half is the warm-up: code is compiled, buffers are allocated, and the
            // collector reaches its heap size.
            double before = mean(samples.subList(SAMPLES / 2, 3 * SAMPLES / 4), i);
            double last = mean(samples.subList(3 * SAMPLES / 4, SAMPLES), i);
            System.out.printf(Locale.ROOT, "%s: %.1f in the third quarter, %.1f in the last%n", names[i], before, last);
            assertThat(last).as(names[i]).isLessThan(before + slack[i]);
        }
    }

    private static double mean(List<Sample> samples, int figure) {
        return samples.stream()
                .mapToLong(sample -> sample.figures()[figure])
                .average()
                .orElseThrow();
    }

    private static void prepare(Connection admin) throws SQLException {
        try (Statement sql = admin.createStatement()) {
            sql.execute("CREATE DATABASE IF NOT EXISTS soak");
            sql.execute("USE soak");
            Counters.create(sql, "(id INT PRIMARY KEY, n INT NOT NULL)");
            sql.execute("CREATE OR REPLACE TABLE docs (id INT PRIMARY KEY, body MEDIUMTEXT)");
            sql.execute("INSERT INTO docs SELECT seq, REPEAT('x', seq * seq) FROM seq_1_to_1000");
            sql.execute("CREATE OR REPLACE USER app@'127.0.0.1' IDENTIFIED BY 'secret'");
            sql.execute("GRANT ALL ON soak.* TO app@'127.0.0.1'");
        }
    }

    private static GatewayProcess start(int port, Path errors) throws IOException {
        return GatewayProcess.startJar(
                List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"),
                ProcessBuilder.Redirect.to(errors.toFile()),
                "--store",
                "mysql://127.0.0.1:" + port,
                "--store-user",
                MariaDb.USER,
                "--set",
                "store.password=" + MariaDb.PASSWORD,
                "--set",
                "eventLoops=2");
    }

    /**
     * Every {@link #FAULT_SECONDS}, the network to the store changes: normal, slow, interrupted.
     */
    private static void misbehave(TcpProxy proxy, long began) {
        long period = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) / FAULT_SECONDS;
        proxy.delay(period % 3 == 1 ? LATE_MICROS : 0);
        if (period % 3 == 2) {
            proxy.cut(0.1);
        }
    }

    /**
     * Opens sessions of a few dozen statements each, prepared and closed, with short and with long
     * rows.
     */
    private static void comeAndGo(String url, AtomicBoolean ended, AtomicInteger visits) {
        Random random = new Random(1);
        while (!ended.get()) {
            try (Connection connection = DriverManager.getConnection(url)) {
                for (int i = 0; i < 30 && !ended.get(); i++) {
                    int id = 1 + random.nextInt(1000);
                    String text = "SELECT id, body, " + random.nextInt(50) + " FROM docs WHERE id = ?";
                    try (PreparedStatement read = connection.prepareStatement(text)) {
                        read.setInt(1, id);
                        try (ResultSet rows = read.executeQuery()) {
                            assertThat(rows.next()).isTrue();
                            assertThat(rows.getString(2)).hasSize(id * id);
                        }
                    }
                }
                visits.incrementAndGet();
            } catch (SQLException lost) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    private static void define(String url, AtomicBoolean ended, AtomicInteger definitions) {
        while (!ended.get()) {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement sql = connection.createStatement()) {
                sql.execute("CREATE OR REPLACE TABLE passing (id INT PRIMARY KEY, v INT)");
                sql.execute("INSERT INTO passing VALUES (1, 1)");
                sql.execute("ALTER TABLE passing ADD COLUMN w INT DEFAULT 5");
                try (ResultSet rows = sql.executeQuery("SELECT * FROM passing WHERE id = 1")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(3)).isEqualTo(5);
                }
                sql.execute("DROP TABLE passing");
                definitions.addAndGet(3);
            } catch (SQLException lost) {
                // The network to the store is interrupted at times; the next round reconnects.
            }
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
        }
    }

    private static long sessionsOf(Connection admin) throws SQLException {
        return Long.parseLong(one(admin, "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'app'"));
    }

    private static void tell(List<Sample> samples) throws IOException {
        List<String> lines = new ArrayList<>(List.of(Sample.HEAD));
        samples.forEach(sample -> lines.add(sample.toString()));
        Files.write(Path.of("target", "soak.csv"), lines);
        StringBuilder svg = new StringBuilder("""
                <svg xmlns="http://www.w3.org/2000/svg" width="760" height="520" font-family="sans-serif" font-size="13">
                <rect width="760" height="520" fill="white"/>
                """);
        String[] names = {"resident memory, MiB", "file descriptors", "threads", "sessions of clients at the store"};
        double end = samples.get(samples.size() - 1).seconds();
        for (int i = 0; i < names.length; i++) {
            int figure = i;
            long most = samples.stream()
                    .mapToLong(sample -> sample.figures()[figure])
                    .max()
                    .orElseThrow();
            int bottom = 120 + 130 * i;
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"10\" y=\"%d\">%s: 0 to %d; 0 to %.0f minutes</text>%n<path d=\"M50 %d V%d H750\" stroke=\"gray\" fill=\"none\"/>%n",
                    bottom - 95,
                    names[i],
                    most,
                    end / 60,
                    bottom - 90,
                    bottom));
            svg.append("<polyline fill=\"none\" stroke=\"steelblue\" stroke-width=\"1.5\" points=\"");
            for (Sample sample : samples) {
                svg.append(String.format(
                        Locale.ROOT,
                        "%.1f,%.1f ",
                        50 + 700 * sample.seconds() / end,
                        bottom - 88.0 * sample.figures()[i] / most));
            }
            svg.append("\"/>\n");
        }
        Files.write(
                Path.of("target", "soak.svg"), svg.append("</svg>\n").toString().getBytes(StandardCharsets.UTF_8));
    }
}
