package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.HostileClient;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.PreparedStatement;

/**
 * Clients that make the gateway occupy as much memory as they can, one kind of memory after the
 * other, in front of a gateway with a small heap. A well-behaved client of the same user runs
 * beside them; where connections themselves occupy the memory, it has another user. Its response
 * times are compared with two others: without attack, and while another gateway on this machine is
 * attacked, with which it shares only the processors. Takes minutes: on demand, with
 * {@code -Dkeyline.hostile=true}.
 */
final class HostileMemoryIT {
    /**
     * The memory that the process may use besides its heap and buffers: code, threads, the
     * collector, the embedded store.
     */
    private static final int BESIDE_HEAP_MEBIBYTES = 192;

    /**
     * {@code limits.memory} as a part of the heap; buffers outside the heap may use as much again.
     */
    private static final int BUFFERS_PERCENT = 30;

    /** A regular expression for the names of the attacks to run. */
    private static final String KINDS = System.getProperty("keyline.hostile.kinds", ".*");

    private static final int READS = 3_000;

    /** Rounds per kind, in turn on this gateway and on the other one. */
    private static final int ROUNDS = Integer.getInteger("keyline.hostile.rounds", 1);

    private static final long IDLE_BYTES = 1 << 20;
    private static final int GIVEN_BACK_SECONDS = 30;

    /**
     * The actions of one kind of client, until it is refused or has done enough. It leaves its
     * connections open.
     */
    private interface Attack {
        void run(int port, List<HostileClient> held, Map<Integer, Integer> answers) throws IOException;
    }

    private final Map<String, Attack> attacks = new TreeMap<>(Map.of(
            "unfinished logins", HostileMemoryIT::unfinishedLogins,
            "sessions", HostileMemoryIT::sessions,
            "prepared statements", HostileMemoryIT::preparedStatements,
            "long statements", HostileMemoryIT::longStatements,
            "unfinished statements", HostileMemoryIT::unfinishedStatements,
            "long data", HostileMemoryIT::longData,
            "user variables", HostileMemoryIT::userVariables,
            "replies not read", HostileMemoryIT::repliesNotRead,
            "pipelines", HostileMemoryIT::pipelines));

    @Test
    @EnabledIfSystemProperty(named = "keyline.hostile", matches = "true")
    void hostileClients_ofEveryKind_leaveAWellBehavedOneAlone(@TempDir Path directory) throws Exception {
        Path config = Files.writeString(
                directory.resolve("users.yaml"),
                "users:\n  - {name: root, plugin: none}\n  - {name: other, plugin: none}\n");
        for (int heap : new int[] {256, 512}) {
            try (GatewayProcess gateway = start(heap, "--config", config.toString());
                    GatewayProcess twin = start(heap, "--config", config.toString());
                    Behaved same = new Behaved(gateway, "root");
                    Behaved other = new Behaved(gateway, "other");
                    Behaved atTwin = new Behaved(twin, "root")) {
                for (Map.Entry<String, Attack> attack : attacks.entrySet()) {
                    if (!attack.getKey().matches(KINDS)) {
                        continue;
                    }
                    Behaved behaved = attack.getKey().equals("sessions") ? other : same;
                    behaved.round(READS);
                    Histogram alone = behaved.round(READS);
                    compare(heap, attack.getKey(), attack.getValue(), behaved, atTwin, alone);
                }
                assertThat(gateway.peakMebibytes())
                        .isLessThan(heap + heap * BUFFERS_PERCENT / 100 + BESIDE_HEAP_MEBIBYTES);
            }
        }
    }

    private static GatewayProcess start(int heap, String option, String value) throws IOException {
        return GatewayProcess.start(
                List.of("-Xmx" + heap + "m", "-XX:+ExitOnOutOfMemoryError"),
                ProcessBuilder.Redirect.INHERIT,
                option,
                value,
                "--set",
                "eventLoops=2");
    }

    /**
     * Prints the times of a client's reads during an attack on the other gateway, and on its own.
     */
    private static void compare(int heap, String name, Attack attack, Behaved behaved, Behaved atTwin, Histogram alone)
            throws Exception {
        Map<Integer, Integer> answers = new TreeMap<>();
        Histogram busy = new Histogram(3);
        Histogram beside = new Histogram(3);
        for (int round = 0; round < ROUNDS; round++) {
            busy.add(during(attack, atTwin.gateway, behaved, new TreeMap<>()));
            atTwin.awaitGivenBack(name);
            beside.add(during(attack, behaved.gateway, behaved, answers));
            behaved.awaitGivenBack(name);
        }
        System.out.printf(
                "%d MB, %s: answers %s; a read %s beside, %s with as busy processors, %s alone; peak of the process %d MB%n",
                heap, name, answers, told(beside), told(busy), told(alone), behaved.gateway.peakMebibytes());
    }

    /**
     * Returns the times of a client's reads during an attack on a gateway, its own or the other
     * one.
     */
    private static Histogram during(
            Attack attack, GatewayProcess attacked, Behaved behaved, Map<Integer, Integer> answers) throws Exception {
        List<HostileClient> held = new ArrayList<>();
        try (Background reads = new Background(behaved)) {
            attack.run(attacked.address().port(), held, answers);
            return reads.stop();
        } finally {
            for (HostileClient client : held) {
                client.close();
            }
        }
    }

    /**
     * Long rows and long cells of the embedded store that no client reads. They wait in the
     * engine's memory, which has one limit for results and one for the rest. Beside both, each of
     * the eight workers creates a chunk of up to 100 MB.
     */
    @Test
    @EnabledIfSystemProperty(named = "keyline.hostile", matches = "true")
    void longRows_thatNobodyReads_leaveAWellBehavedClientAlone() throws Exception {
        int heap = 256;
        int engine = 512;
        try (GatewayProcess gateway = start(heap, "--set", "store.duckdb.memory=" + engine + "MiB");
                GatewayProcess twin = start(heap, "--set", "store.duckdb.memory=" + engine + "MiB");
                Behaved behaved = new Behaved(gateway, "root");
                Behaved atTwin = new Behaved(twin, "root")) {
            behaved.round(READS);
            Histogram alone = behaved.round(READS);
            for (String select : List.of(
                    "SELECT REPEAT('a', 1000000) FROM users",
                    "SELECT REPEAT('a', 1000000) FROM users WHERE user_id <= 10",
                    "SELECT REPEAT('a', 30000000)",
                    "SELECT GROUP_CONCAT(REPEAT('a', 1000000)) FROM users",
                    "SET @a = REPEAT('a', 30000000)")) {
                Attack attack = (port, held, answers) -> longRows(port, select, held, answers);
                compare(heap, select, attack, behaved, atTwin, alone);
            }
            assertThat(gateway.peakMebibytes()).isLessThan(heap + 2 * engine + 8 * 100 + 256);
        }
    }

    private static void longRows(int port, String select, List<HostileClient> held, Map<Integer, Integer> answers)
            throws IOException {
        for (int i = 0; i < 64; i++) {
            HostileClient client = client(port, true, held);
            if (client != null) {
                client.command(CommandCode.COM_QUERY, select);
            }
        }
        // The first packet shows whether the result has rows; no client reads any of them.
        for (HostileClient client : held) {
            try {
                count(answers, HostileClient.error(client.packet()));
            } catch (IOException closed) {
                count(answers, -1);
            }
        }
    }

    private static String told(Histogram times) {
        return String.format(
                Locale.ROOT,
                "p50 %.2f, p99 %.2f ms (of %d)",
                times.getValueAtPercentile(50) / 1e3,
                times.getValueAtPercentile(99) / 1e3,
                times.getTotalCount());
    }

    // ---------------------------------------------------------------- the kinds

    private static void count(Map<Integer, Integer> answers, int error) {
        answers.merge(error, 1, Integer::sum);
    }

    /** Returns a connection, or null if the gateway refuses it. */
    private static @Nullable HostileClient client(int port, boolean login, List<HostileClient> held)
            throws IOException {
        HostileClient client;
        try {
            client = new HostileClient(port);
        } catch (IOException refused) {
            return null;
        }
        held.add(client);
        try {
            return login ? client.login() : client;
        } catch (IOException refused) {
            return null;
        }
    }

    private static void unfinishedLogins(int port, List<HostileClient> held, Map<Integer, Integer> answers)
            throws IOException {
        byte[] most = filled(66 << 10);
        for (int i = 0; i < 4_100; i++) {
            HostileClient client = client(port, false, held);
            if (client == null) {
                count(answers, -1);
            } else {
                client.header(most.length + 100, 1);
                client.send(most);
                count(answers, 0);
            }
        }
    }

    private static void sessions(int port, List<HostileClient> held, Map<Integer, Integer> answers) throws IOException {
        for (int i = 0; i < 5_000; i++) {
            count(answers, client(port, true, held) == null ? -1 : 0);
        }
    }

    private static void preparedStatements(int port, List<HostileClient> held, Map<Integer, Integer> answers)
            throws IOException {
        for (int c = 0; c < 4; c++) {
            HostileClient client = client(port, true, held);
            for (int i = 0; client != null && i < 497; i++) {
                client.command(
                        CommandCode.COM_STMT_PREPARE,
                        "SELECT '" + i + "x".repeat(1_000_000) + "' FROM users WHERE user_id = ?");
                byte[] told = client.packet();
                count(answers, HostileClient.error(told));
                int packets = HostileClient.error(told) == 0 ? told[5] + told[7] : 0;
                for (int p = 0; p < packets; p++) {
                    client.packet();
                }
            }
        }
    }

    private static void longStatements(int port, List<HostileClient> held, Map<Integer, Integer> answers)
            throws IOException {
        for (int i = 0; i < 31; i++) {
            HostileClient client = client(port, true, held);
            if (client != null) {
                client.command(CommandCode.COM_QUERY, "SELECT 1 /*" + "x".repeat(15_000_000) + "*/");
                count(answers, HostileClient.error(client.packet()));
            }
        }
    }

    private static void unfinishedStatements(int port, List<HostileClient> held, Map<Integer, Integer> answers)
            throws IOException {
        byte[] most = filled(7_000_000);
        for (int i = 0; i < 60; i++) {
            HostileClient client = client(port, true, held);
            if (client == null) {
                count(answers, -1);
                continue;
            }
            client.header(most.length + 100, 0);
            try {
                client.send(most);
                count(answers, 0);
            } catch (IOException closed) {
                count(answers, -2);
            }
        }
    }

    private static void longData(int port, List<HostileClient> held, Map<Integer, Integer> answers) throws IOException {
        for (int c = 0; c < 10; c++) {
            HostileClient client = client(port, true, held);
            if (client == null) {
                continue;
            }
            client.command(CommandCode.COM_STMT_PREPARE, "SELECT ? FROM users WHERE user_id = 1");
            byte[] told = client.packet();
            for (int p = 0; p < told[5] + told[7]; p++) {
                client.packet();
            }
            byte[] piece = filled(1_000_000);
            System.arraycopy(told, 1, piece, 0, 4);
            Arrays.fill(piece, 4, 6, (byte) 0);
            try {
                for (int i = 0; i < 60; i++) {
                    client.command(CommandCode.COM_STMT_SEND_LONG_DATA, piece);
                }
                client.command(CommandCode.COM_PING, "");
                count(answers, HostileClient.error(client.packet()));
            } catch (IOException closed) {
                count(answers, -2);
            }
        }
    }

    private static void userVariables(int port, List<HostileClient> held, Map<Integer, Integer> answers)
            throws IOException {
        HostileClient client = client(port, true, held);
        for (int i = 0; client != null && i < 400; i++) {
            client.command(CommandCode.COM_QUERY, "SET @v" + i + " = REPEAT('x', 1000000)");
            count(answers, HostileClient.error(client.packet()));
        }
    }

    private static void repliesNotRead(int port, List<HostileClient> held, Map<Integer, Integer> answers)
            throws IOException {
        for (int c = 0; c < 200; c++) {
            HostileClient client = client(port, true, held);
            if (client != null) {
                byte[] text = "SELECT * FROM users WHERE user_id = 42".getBytes(StandardCharsets.UTF_8);
                for (int i = 0; i < 5_000; i++) {
                    client.command(CommandCode.COM_QUERY, text);
                }
                count(answers, 0);
            }
        }
    }

    private static void pipelines(int port, List<HostileClient> held, Map<Integer, Integer> answers)
            throws IOException {
        byte[] ping = {1, 0, 0, 0, CommandCode.COM_PING};
        byte[] many = new byte[ping.length * 10_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = ping[i % ping.length];
        }
        for (int c = 0; c < 200; c++) {
            HostileClient client = client(port, true, held);
            if (client != null) {
                client.send(many);
                count(answers, 0);
            }
        }
    }

    private static byte[] filled(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 'x');
        return bytes;
    }

    // ---------------------------------------------------------------- the one that behaves well

    /** Reads rows by their key, and sometimes logs in again. Confined to one thread at a time. */
    private static final class Behaved implements AutoCloseable {
        private static final int READS_PER_LOGIN = 200;

        private final GatewayProcess gateway;
        private final String user;
        private TestClient client;
        private PreparedStatement read;
        private int reads;

        Behaved(GatewayProcess gateway, String user) throws Exception {
            this.gateway = gateway;
            this.user = user;
            client = connect();
            read = client.prepare("SELECT name FROM users WHERE user_id = ?");
        }

        private TestClient connect() throws Exception {
            return TestClient.connect(
                    gateway.address(), options -> options.user(user).database("demo"));
        }

        /** Times in microseconds. */
        Histogram round(int count) throws Exception {
            Histogram times = new Histogram(3);
            for (int i = 0; i < count; i++) {
                once(times);
            }
            return times;
        }

        void once(Histogram times) throws Exception {
            int id = 1 + reads % 100;
            if (++reads % READS_PER_LOGIN == 0) {
                client.close();
                client = connect();
                read = client.prepare("SELECT name FROM users WHERE user_id = ?");
            }
            long began = System.nanoTime();
            TestClient.Answer answer = reads % 10 == 0
                    ? client.query("SELECT name FROM users WHERE user_id = " + id)
                    : client.execute(read, id);
            times.recordValue((System.nanoTime() - began) / 1_000);
            assertThat(answer.error()).isNull();
            assertThat(answer.rows()).isEqualTo(List.of(List.of("user " + id)));
        }

        void awaitGivenBack(String after) throws Exception {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GIVEN_BACK_SECONDS);
            long kept = kept();
            while (kept > IDLE_BYTES && System.nanoTime() < deadline) {
                kept = kept();
            }
            assertThat(kept).as("kept after %s", after).isLessThanOrEqualTo(IDLE_BYTES);
        }

        private long kept() throws Exception {
            return Long.parseLong(String.valueOf(client.query("SHOW STATUS LIKE 'keyline_memory_bytes'")
                    .rows()
                    .get(0)
                    .get(1)));
        }

        @Override
        public void close() {
            client.close();
        }
    }

    /** Reads until it is stopped, in its own thread. */
    private static final class Background implements AutoCloseable {
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private final Histogram times = new Histogram(3);
        private final Thread thread;
        private volatile boolean stopping;

        Background(Behaved behaved) {
            thread = new Thread(
                    () -> {
                        try {
                            while (!stopping) {
                                behaved.once(times);
                            }
                        } catch (Throwable e) {
                            failure.set(e);
                        }
                    },
                    "well-behaved");
            thread.start();
        }

        Histogram stop() throws Exception {
            close();
            Throwable failed = failure.get();
            if (failed != null) {
                throw new AssertionError("a well-behaved client noticed", failed);
            }
            return times;
        }

        @Override
        public void close() {
            stopping = true;
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
