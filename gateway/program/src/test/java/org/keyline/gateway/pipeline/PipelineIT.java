package org.keyline.gateway.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.fixtures.RawClient;

/**
 * Random pipelines through the gateway, compared with the same commands one by one. They run
 * directly at the MariaDB that is the gateway's store, in separate schemas; for the embedded store,
 * at a gateway without lines. Every packet of every reply and every row at the end must be the
 * same.
 *
 * <p>{@code -Dkeyline.pipeline.commands=N} sets the number of commands per test,
 * {@code -Dkeyline.pipeline.seed=N} the first session's seed, {@code -Dkeyline.pipeline.clients=N}
 * the number of session pairs that run at a time, each in separate schemas.
 */
@Tag("explores")
class PipelineIT {
    /** The name of the schema on the gateway's side. */
    static final String SCHEMA = "pipe_a";

    private static final int COMMANDS = Integer.getInteger("keyline.pipeline.commands", 1_600);
    private static final long FIRST_SEED = Long.getLong("keyline.pipeline.seed", 1);
    private static final int CLIENTS = Integer.getInteger("keyline.pipeline.clients", 1);
    private static final int COMMANDS_PER_SESSION = 600;
    private static final int MAX_DEPTH = 24;
    private static final int FLAGS =
            RawClient.FLAGS & ~Capabilities.CLIENT_CONNECT_WITH_DB & ~Capabilities.CLIENT_LOCAL_FILES;

    private static final List<String> TABLES = List.of(
            "CREATE TABLE kv (id INT PRIMARY KEY, v INT, s VARCHAR(20))",
            "CREATE TABLE pair (a INT, b INT, t VARCHAR(10), PRIMARY KEY (a, b))",
            "CREATE TABLE cnt (id INT PRIMARY KEY, n INT NOT NULL)",
            "INSERT INTO kv VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three'), (4, 4, NULL)",
            "INSERT INTO pair VALUES (1, 1, 'x'), (1, 2, 'y'), (2, 1, 'z')",
            "INSERT INTO cnt VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 0)");

    private static final List<String> ALL_ROWS = List.of(
            "SELECT * FROM kv ORDER BY v * 0, id",
            "SELECT * FROM pair ORDER BY a * 0, a, b",
            "SELECT * FROM cnt ORDER BY n * 0, id");

    /** The address and login of one side. */
    private record End(InetSocketAddress address, String user, String password, String schema) {
        PipelineClient connect(int flags) throws IOException {
            return new PipelineClient(address, user, password, flags, schema);
        }

        void prepare() throws IOException {
            try (PipelineClient client = connect(FLAGS)) {
                for (String name : List.of(SCHEMA, SCHEMA + "2")) {
                    run(client, "DROP DATABASE IF EXISTS " + name);
                    run(client, "CREATE DATABASE " + name);
                    run(client, "USE " + name);
                    for (String table : TABLES) {
                        run(client, table);
                    }
                }
            }
        }

        private static void run(PipelineClient client, String sql) throws IOException {
            String reply = client.exchange(List.of(Command.query(sql))).get(0);
            assertThat(isError(reply)).as(sql + ": " + reply).isFalse();
        }
    }

    private static boolean isError(String reply) {
        return reply.length() > 4 && reply.charAt(4) == 0xFF;
    }

    @Test
    void pipelines_onMariaDb_areAnsweredAsOneByOne() throws Exception {
        MariaDb store = MariaDb.get("second");
        try (RelayGateway gateway = RelayGateway.start(store, "store.refresh=1s")) {
            compare(number -> {
                return List.of(
                        new End(loopback(gateway.port()), MariaDb.USER, MariaDb.PASSWORD, named('a', number)),
                        new End(store.address(), MariaDb.USER, MariaDb.PASSWORD, named('b', number)));
            });
        }
    }

    @Test
    void pipelines_onTheEmbeddedStore_areAnsweredAsOneByOne() throws Exception {
        try (DemoGateway gateway = DemoGateway.start("demo=false", "http=off");
                DemoGateway reference = DemoGateway.start("demo=false", "http=off", "cache.enabled=false")) {
            compare(number -> {
                String schema = named('a', number);
                return List.of(
                        new End(loopback(gateway.address().port()), "root", "", schema),
                        new End(loopback(reference.address().port()), "root", "", schema));
            });
        }
    }

    /** As long as {@link #SCHEMA}, so that packets have the same length. */
    private static String named(char end, int number) {
        return "pip" + (char) ('e' + number) + "_" + end;
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private interface Ends {
        /** Returns the gateway's end and the reference end of a pair. */
        List<End> of(int number);
    }

    private static void compare(Ends ends) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<long[]>> pairs = IntStream.range(0, CLIENTS)
                    .mapToObj(number -> threads.submit(() -> pair(ends.of(number), number)))
                    .toList();
            long commands = 0;
            long writes = 0;
            for (Future<long[]> pair : pairs) {
                commands += pair.get()[0];
                writes += pair.get()[1];
            }
            System.out.println(
                    commands + " commands in pipelines answered as one by one; " + writes + " counted writes");
        } finally {
            threads.shutdownNow();
        }
    }

    private static long[] pair(List<End> ends, int number) throws IOException {
        for (End end : ends) {
            end.prepare();
        }
        long commands = 0;
        for (long seed = FIRST_SEED + number; commands < COMMANDS / CLIENTS; seed += CLIENTS) {
            commands += session(ends, seed);
        }
        long writes = 0;
        try (PipelineClient client = ends.get(0).connect(FLAGS);
                PipelineClient reference = ends.get(1).connect(FLAGS)) {
            for (String schema : List.of(SCHEMA, SCHEMA + "2")) {
                for (PipelineClient end : List.of(client, reference)) {
                    End.run(end, "USE " + schema);
                }
                for (String rows : ALL_ROWS) {
                    List<Command> all = List.of(Command.query(rows));
                    assertThat(client.exchange(all)).as(rows).isEqualTo(reference.exchange(all));
                }
                writes += client.number("SELECT SUM(n) FROM cnt");
            }
        }
        return new long[] {commands, writes};
    }

    private static int session(List<End> ends, long seed) throws IOException {
        Random random = new Random(seed);
        Commands commands = new Commands(random);
        int flags = random.nextBoolean() ? FLAGS : FLAGS | Capabilities.CLIENT_DEPRECATE_EOF;
        List<String> history = new ArrayList<>();
        int sent = 0;
        try (PipelineClient client = ends.get(0).connect(flags);
                PipelineClient reference = ends.get(1).connect(flags)) {
            for (PipelineClient end : List.of(client, reference)) {
                End.run(end, "USE " + SCHEMA);
            }
            while (sent < COMMANDS_PER_SESSION) {
                List<Command> pipeline =
                        commands.pipeline(1 + random.nextInt(random.nextBoolean() ? 4 : MAX_DEPTH), client::isPrepared);
                sent += pipeline.size();
                history.add("\n  " + pipeline);
                List<String> replies = client.exchange(pipeline);
                for (int i = 0; i < pipeline.size(); i++) {
                    Command command = pipeline.get(i);
                    if (command.gatewayOnly()) {
                        continue;
                    }
                    String expected = reference.exchange(List.of(command)).get(0);
                    if (!replies.get(i).equals(expected)) {
                        throw new AssertionError(failure(seed, history, i) + "\nbehind   "
                                + readable(String.join("\n         ", replies.subList(0, i))) + "\nexpected "
                                + readable(expected) + "\nbut was  " + readable(replies.get(i)));
                    }
                }
            }
        } catch (IOException e) {
            throw new AssertionError(failure(seed, history, -1), e);
        }
        return sent;
    }

    private static String failure(long seed, List<String> history, int at) {
        return "seed " + seed + ", pipeline " + history.size() + ", command " + at + " of the last of "
                + history.subList(Math.max(0, history.size() - 6), history.size());
    }

    private static String readable(String reply) {
        StringBuilder text = new StringBuilder();
        reply.chars()
                .forEach(
                        c -> text.append(c >= ' ' && c < 0x7F ? String.valueOf((char) c) : String.format("\\%02x", c)));
        return text.toString();
    }
}
