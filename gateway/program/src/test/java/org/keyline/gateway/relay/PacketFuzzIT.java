package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.differential.Answer;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TextLines;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Random commands on many sessions through the gateway. Each has a twin directly at the same store,
 * which gets the same commands for a schema with the same tables. Every packet of every reply must
 * be the same, except for ids. FOUND_ROWS() and ROW_COUNT() together in one statement, and
 * ROW_COUNT() after a PREPARE, may show a question of the gateway and are left out.
 *
 * <p>The sessions form groups. Each has its own schema, seed and thread, because many commands wait
 * a second for another session's lock. {@code -Dkeyline.packetfuzz.statements},
 * {@code -Dkeyline.packetfuzz.sessions} and {@code -Dkeyline.packetfuzz.groups} set how many there
 * are in all, {@code -Dkeyline.packetfuzz.seed} the seed of the first group.
 */
@Tag("explores")
class PacketFuzzIT {
    private static final int STATEMENTS = Integer.getInteger("keyline.packetfuzz.statements", 9_000);
    private static final int SESSIONS = Integer.getInteger("keyline.packetfuzz.sessions", 40);
    private static final int GROUPS = Integer.getInteger("keyline.packetfuzz.groups", 4);
    private static final long SEED = Long.getLong("keyline.packetfuzz.seed", 1);
    private static final int BURST = 14;
    private static final int KEYS = 5;
    private static final int HISTORY = 60;
    private static final long REPLY_SECONDS = 60;
    private static final System.Logger LOG = System.getLogger("keyline.fuzz");

    /** D is the schema, K and N are keys, I is the session's number, ID its connection id. */
    private static final List<String> STATEMENTS_AT_RANDOM =
            TextLines.of(PacketFuzzIT.class, "PacketFuzzIT.STATEMENTS.txt");

    private static final List<String> READS = TextLines.of(PacketFuzzIT.class, "PacketFuzzIT.READS.txt");
    private static final List<String> PREPARED = TextLines.of(PacketFuzzIT.class, "PacketFuzzIT.PREPARED.txt");

    /**
     * Statements that end what would make other sessions wait, by the statements that begin it.
     * Others would bind a session to its store session without need.
     */
    private static final Map<String, List<String>> TIDY = new TreeMap<>(Map.of(
            "XA ", List.of("XA END 'DxI'", "XA ROLLBACK 'DxI'"),
            "LOCK TABLES", List.of("UNLOCK TABLES"),
            "GET_LOCK", List.of("DO RELEASE_LOCK('DI')"),
            "HANDLER", List.of("HANDLER t CLOSE")));

    /** Flags of which each session has some. */
    private static final int[] FLAGS = {
        Capabilities.CLIENT_DEPRECATE_EOF,
        Capabilities.CLIENT_SESSION_TRACK,
        Capabilities.CLIENT_MULTI_STATEMENTS,
        Capabilities.CLIENT_FOUND_ROWS,
        Capabilities.CLIENT_COMPRESS
    };

    private static final HexFormat HEX = HexFormat.of();
    private static final String NO_CURSOR = HEX.formatHex("has no open cursor".getBytes(StandardCharsets.US_ASCII));
    private static final String PLUGIN = HEX.formatHex("mysql_native_password".getBytes(StandardCharsets.US_ASCII));

    @TempDir
    private static Path directory;

    private static MariaDb store;

    @BeforeAll
    static void start() throws SQLException {
        assumeFalse(MariaDb.isForeign(), "accounts are MariaDB's");
        store = MariaDb.get("second");
    }

    /** A definition locks tables of InnoDB, for which another one would have to wait. */
    private static final Pattern DEFINITION = Pattern.compile("\\b(?:CREATE|ALTER|DROP|TRUNCATE)\\b");

    private static final Pattern SESSION = Pattern.compile("(?<=_|x|D)I\\b");
    private static final Pattern SCHEMA = Pattern.compile("\\bD\\b|D(?=x?\\d+\\b)");
    private static final Pattern ID = Pattern.compile("\\bID\\b");
    private static final Pattern KEY = Pattern.compile("\\b[KN]\\b");

    /** One of the two sides: its address, schema and account. */
    private record Side(InetSocketAddress address, String schema) {
        RawClient open(int flags) throws Exception {
            return new RawClient(ClientOptions.of(address, schema)
                    .database(schema)
                    .retrievePublicKey(true)
                    .capabilities(flags)
                    .build());
        }

        String named(String text, long id, int session) {
            String numbered = SESSION.matcher(text).replaceAll(Integer.toString(session));
            return ID.matcher(SCHEMA.matcher(numbered).replaceAll(schema)).replaceAll(Long.toString(id));
        }
    }

    private record Handle(int through, int straight, int parameters) {}

    /** Sessions that use the same tables, one command after the other. */
    private static final class Group implements Callable<Void> {
        private final long seed;
        private final Random random;
        private final Side gateway;
        private final Side store;
        /** Flags that the gateway does not offer, because it releases sessions; 0 if it does not. */
        private final int withheld;

        private long compared;

        Group(long seed, Side gateway, Side store, int withheld) {
            this.seed = seed;
            this.random = new Random(seed);
            this.gateway = gateway;
            this.store = store;
            this.withheld = withheld;
        }

        @Override
        public Void call() throws Exception {
            List<Pair> pairs = new ArrayList<>();
            try {
                for (int i = 0; i < SESSIONS / GROUPS; i++) {
                    pairs.add(new Pair(i, this));
                }
                while (compared < STATEMENTS / GROUPS) {
                    List<Pair> untidy =
                            pairs.stream().filter(pair -> !pair.tidy).toList();
                    // Otherwise its locks would refuse most writes of the others.
                    pick(untidy.isEmpty() || random.nextInt(8) != 0 ? pairs : untidy)
                            .burst();
                }
            } finally {
                pairs.forEach(Pair::close);
                LOG.log(System.Logger.Level.INFO, "{0} replies, seed {1}", compared, seed);
            }
            return null;
        }

        private <T> T pick(List<T> all) {
            return all.get(random.nextInt(all.size()));
        }

        private String keyed(String text) {
            return KEY.matcher(text).replaceAll(key -> Integer.toString(random.nextInt(KEYS)));
        }
    }

    /** A session on both sides. */
    private static final class Pair {
        private final int number;
        private final Group group;
        private final Random random;
        private final Side gateway;
        private final Side store;
        private final Deque<String> history = new ArrayDeque<>();
        private final List<Handle> handles = new ArrayList<>();
        private RawClient through;
        private RawClient straight;
        private int flags;
        /** Whether the previous command was a PREPARE, after which ROW_COUNT() may differ. */
        private boolean prepared;

        /** The keys of {@link #TIDY} that the session has used since it was tidied. */
        private final Set<String> used = new TreeSet<>();
        /** Whether the last burst ended what would make other sessions wait. */
        private boolean tidy = true;

        Pair(int number, Group group) throws Exception {
            this.number = number;
            this.group = group;
            this.random = group.random;
            this.gateway = group.gateway;
            this.store = group.store;
            open();
        }

        private void open() throws Exception {
            flags = ClientOptions.DEFAULT_CAPABILITIES & ~Capabilities.CLIENT_SSL;
            for (int flag : FLAGS) {
                flags = random.nextInt(3) == 0 ? flags ^ flag : flags;
            }
            flags &= ~group.withheld;
            through = gateway.open(flags);
            straight = store.open(flags);
            handles.clear();
            history.clear();
            note("login");
            counts();
        }

        private void note(String command) {
            history.add(command);
            if (history.size() > HISTORY) {
                history.remove();
            }
        }

        void burst() throws Exception {
            if (group.withheld != 0 && tidy && random.nextInt(3) == 0) {
                // Most sessions would otherwise be bound for good after a few bursts.
                send(CommandCode.COM_RESET_CONNECTION, "", "");
            }
            for (int left = 1 + random.nextInt(BURST); left > 0; left--) {
                step();
            }
            tidy = random.nextInt(8) != 0;
            if (tidy) {
                tidy();
            }
        }

        private void tidy() throws Exception {
            for (Map.Entry<String, List<String>> begun : TIDY.entrySet()) {
                for (String text : used.contains(begun.getKey()) ? begun.getValue() : List.<String>of()) {
                    query(text);
                }
            }
            query("ROLLBACK");
            used.clear();
        }

        private void step() throws Exception {
            boolean after = prepared;
            prepared = false;
            int kind = random.nextInt(100);
            if (kind < 40) {
                String text = group.keyed(group.pick(READS));
                for (int again = random.nextInt(3); again >= 0; again--) {
                    query(text);
                }
            } else if (kind < 80) {
                String text = group.keyed(group.pick(STATEMENTS_AT_RANDOM));
                if (!after || !text.toUpperCase(Locale.ROOT).contains("ROW_COUNT")) {
                    query(random.nextInt(12) == 0 ? text + "; " + group.keyed(group.pick(READS)) : text);
                }
            } else if (kind < 84) {
                prepare(group.pick(PREPARED));
                prepared = true;
            } else if (kind < 95) {
                execute();
            } else {
                command(random.nextInt(12));
            }
        }

        private void query(String text) throws Exception {
            note(text);
            TIDY.keySet().stream().filter(text::contains).forEach(used::add);
            String mine = gateway.named(text, through.connectionId(), number);
            String theirs = store.named(text, straight.connectionId(), number);
            if (DEFINITION.matcher(text).find()) {
                synchronized (DEFINITION) {
                    compare(CompletableFuture.completedFuture(outcome(through.begin(mine))), straight.begin(theirs));
                }
            } else {
                compare(through.begin(mine), straight.begin(theirs));
            }
        }

        private void command(int kind) throws Exception {
            switch (kind) {
                case 0 -> send(CommandCode.COM_PING, "", "");
                case 1 -> send(CommandCode.COM_RESET_CONNECTION, "", "");
                case 2, 3 -> send(CommandCode.COM_INIT_DB, gateway.schema(), store.schema());
                case 4 -> send(CommandCode.COM_INIT_DB, "nosuch", "nosuch");
                case 5 -> send(CommandCode.COM_SET_OPTION, "\0\0", "\0\0");
                case 6 -> send(CommandCode.COM_SET_OPTION, "\1\0", "\1\0");
                case 7 -> send(CommandCode.COM_CHANGE_USER, user(gateway), user(store));
                case 8 -> {
                    tidy();
                    close();
                    open();
                }
                default -> handle(kind);
            }
        }

        private static String user(Side side) {
            return side.schema() + "\0\0" + side.schema() + "\0\55\0mysql_native_password\0\0";
        }

        private void send(int code, String toGateway, String toStore) throws Exception {
            note("command " + code + " " + toStore.replaceAll("[^ -~]", "."));
            compare(through.begin(payload(code, toGateway)), straight.begin(payload(code, toStore)));
            if (code == CommandCode.COM_RESET_CONNECTION || code == CommandCode.COM_CHANGE_USER) {
                handles.clear();
                counts();
            }
        }

        /**
         * Sets FOUND_ROWS(), which in a new session may be that of another one whose thread the
         * server uses again.
         */
        private void counts() throws Exception {
            query("SELECT 1");
        }

        private void handle(int kind) throws Exception {
            if (handles.isEmpty()) {
                return;
            }
            Handle handle = handles.get(random.nextInt(handles.size()));
            if (kind == 9) {
                note("close a handle");
                handles.remove(handle);
                through.closeStatement(handle.through());
                straight.closeStatement(handle.straight());
                return;
            }
            int code = kind == 10 ? CommandCode.COM_STMT_RESET : CommandCode.COM_STMT_FETCH;
            note("command " + code + " of a handle");
            compare(through.begin(ofHandle(code, handle.through())), straight.begin(ofHandle(code, handle.straight())));
        }

        private void prepare(String text) throws Exception {
            note("PREPARE " + text);
            ByteBuf mine = payload(CommandCode.COM_STMT_PREPARE, gateway.named(text, 0, number));
            ByteBuf theirs = payload(CommandCode.COM_STMT_PREPARE, store.named(text, 0, number));
            CompletableFuture<Answer> one = through.begin(mine);
            CompletableFuture<Answer> other = straight.begin(theirs);
            if (compare(one, other)) {
                handles.add(new Handle(
                        id(one.join()),
                        id(other.join()),
                        text.length() - text.replace("?", "").length()));
            }
        }

        private void execute() throws Exception {
            if (handles.isEmpty()) {
                prepare(group.pick(PREPARED));
                prepared = true;
                return;
            }
            Handle handle = handles.get(random.nextInt(handles.size()));
            StatementArguments values = new StatementArguments();
            StringBuilder shown = new StringBuilder("execute handle " + handles.indexOf(handle) + ":");
            for (int i = 0; i < handle.parameters(); i++) {
                int key = random.nextInt(KEYS);
                int type = random.nextInt(12);
                shown.append(' ').append(type).append('/').append(key);
                switch (type) {
                    case 0 -> values.addText(Integer.toString(key));
                    case 1 -> values.addNull();
                    case 2 -> values.addFloat64(key);
                    case 3 -> values.addText("a");
                    default -> values.addInt64(key);
                }
            }
            if (random.nextInt(12) == 0) {
                values.withCursor();
                shown.append(" with a cursor");
            }
            note(shown.toString());
            compare(through.begin(handle.through(), values), straight.begin(handle.straight(), values));
        }

        /** Returns whether both succeeded. */
        private boolean compare(CompletableFuture<Answer> toGateway, CompletableFuture<Answer> toStore)
                throws Exception {
            group.compared++;
            Answer one = outcome(toGateway);
            Answer other = outcome(toStore);
            boolean numbered = !Capabilities.has(flags, Capabilities.CLIENT_COMPRESS);
            List<String> mine = comparable(one, gateway, numbered);
            List<String> theirs = comparable(other, store, numbered);
            assertThat(mine)
                    .as(() ->
                            "seed " + group.seed + ", session " + number + " with flags 0x" + Integer.toHexString(flags)
                                    + ", command " + group.compared + ", after\n  "
                                    + String.join("\n  ", history) + "\nthrough:  " + readable(mine) + "\nstraight: "
                                    + readable(theirs) + "\n")
                    .isEqualTo(theirs);
            if (one.packets().isEmpty()) {
                close();
                open();
                return false;
            }
            return !one.isError();
        }

        private void close() {
            through.close();
            straight.close();
        }
    }

    /** Returns the reply; no packet if the server closed the connection. */
    private static Answer outcome(CompletableFuture<Answer> reply) throws Exception {
        try {
            return reply.get(REPLY_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException closed) {
            return new Answer(List.of());
        }
    }

    /**
     * Returns packets without ids, and with the same name for the schema of either side.
     *
     * @param numbered false if clients ignore the packets' sequence ids
     */
    private static List<String> comparable(Answer answer, Side side, boolean numbered) {
        String name = HEX.formatHex(side.schema().getBytes(StandardCharsets.US_ASCII));
        List<String> packets = new ArrayList<>();
        for (String packet : answer.packets()) {
            // The request of a proof has random bytes, and this error has a handle's id.
            packets.add(
                    packet.contains(PLUGIN) || packet.contains(NO_CURSOR)
                            ? PLUGIN
                            : Answer.withoutIndexFlags(packet)
                                    .replace(name, "2a".repeat(side.schema().length())));
        }
        String first = packets.isEmpty() ? "" : packets.get(0);
        boolean prepared = first.length() == 32 && first.startsWith("0c00000100");
        if (prepared) {
            packets.set(0, first.substring(0, 10) + "[id]" + first.substring(18));
        }
        if (answer.isError(1094) || answer.isError(1243) || answer.isError(1421)) {
            // Their messages have an id.
            packets.set(0, "error " + first.substring(10, 14));
        }
        if (!numbered) {
            packets.replaceAll(packet -> packet.length() < 8 ? packet : packet.substring(0, 6) + packet.substring(8));
        }
        return packets;
    }

    private static int id(Answer prepared) {
        return Integer.reverseBytes(
                Integer.parseUnsignedInt(prepared.packets().get(0).substring(10, 18), 16));
    }

    private static String readable(List<String> packets) {
        StringBuilder text = new StringBuilder();
        for (String packet : packets) {
            text.append("\n    ").append(packet).append(' ');
            if (packet.matches("[0-9a-f]+")) {
                text.append(new String(HEX.parseHex(packet), StandardCharsets.ISO_8859_1).replaceAll("[^ -~]+", "."));
            }
        }
        return text.toString();
    }

    private static ByteBuf payload(int code, String text) {
        return Unpooled.buffer().writeByte(code).writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static ByteBuf ofHandle(int code, int id) {
        ByteBuf payload = Unpooled.buffer().writeByte(code).writeIntLE(id);
        return code == CommandCode.COM_STMT_FETCH ? payload.writeIntLE(2) : payload;
    }

    private static void schema(String name) throws SQLException {
        try (Connection root = store.connect("");
                Statement sql = root.createStatement()) {
            sql.execute("DROP DATABASE IF EXISTS " + name);
            sql.execute("CREATE DATABASE " + name + " CHARACTER SET utf8mb4");
            sql.execute("DROP USER IF EXISTS " + name + "@'127.0.0.1'");
            sql.execute("CREATE USER " + name + "@'127.0.0.1' IDENTIFIED BY ''");
            sql.execute("GRANT ALL ON " + name + ".* TO " + name + "@'127.0.0.1'");
            sql.execute("USE " + name);
            for (String table : TextLines.of(PacketFuzzIT.class, "PacketFuzzIT.TABLES.txt")) {
                try {
                    sql.execute(table);
                } catch (SQLException unsupported) {
                    // A MySQL has no sequences.
                    assertThat(table).startsWith("CREATE SEQUENCE");
                }
            }
            for (int i = 0; i < SESSIONS / GROUPS; i++) {
                sql.execute("CREATE TABLE l_" + i + " (k INT PRIMARY KEY, v INT)");
            }
        }
    }

    /** Rolls back what XA PREPARE left, and drops what this test created. */
    private static void drop(String name) throws SQLException {
        try (Connection root = store.connect("");
                Statement sql = root.createStatement()) {
            for (int i = 0; i < SESSIONS / GROUPS; i++) {
                try {
                    sql.execute("XA ROLLBACK '" + name + "x" + i + "'");
                } catch (SQLException unknown) {
                    assertThat(unknown.getErrorCode()).isEqualTo(1397);
                }
            }
            sql.execute("DROP DATABASE " + name);
            sql.execute("DROP USER " + name + "@'127.0.0.1'");
        }
    }

    private static void run(String through, String straight, String settings, int withheld) throws Exception {
        for (int i = 0; i < GROUPS; i++) {
            schema(through + i);
            schema(straight + i);
        }
        // A wait for another session's row lock ends at once, for its table lock after a second.
        store.run(
                "SET GLOBAL innodb_lock_wait_timeout = " + (MariaDb.isMySql() ? 1 : 0),
                "SET GLOBAL lock_wait_timeout = 1",
                "SET GLOBAL innodb_stats_persistent = OFF",
                "SET GLOBAL max_connections = 1000");
        Path file = Files.writeString(directory.resolve("keyline.yaml"), settings);
        ExecutorService threads = Executors.newFixedThreadPool(GROUPS);
        try (RelayGateway gateway = RelayGateway.start(store, file)) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port());
            List<Group> groups = IntStream.range(0, GROUPS)
                    .mapToObj(i -> new Group(
                            SEED + i,
                            new Side(address, through + i),
                            new Side(store.address(), straight + i),
                            withheld))
                    .toList();
            for (Future<Void> group : threads.invokeAll(groups)) {
                group.get();
            }
        } finally {
            threads.shutdownNow();
            store.run(
                    "SET GLOBAL innodb_lock_wait_timeout = 50",
                    "SET GLOBAL lock_wait_timeout = 86400",
                    "SET GLOBAL innodb_stats_persistent = ON",
                    "SET GLOBAL max_connections = 151");
            for (int i = 0; i < GROUPS; i++) {
                drop(through + i);
                drop(straight + i);
            }
        }
    }

    @Test
    void relayedSessions_receiveTheStoresPackets() throws Exception {
        run("pfuzzg", "pfuzzs", "{}", 0);
    }

    @Test
    void sessionsGivenBackWhileIdle_receiveTheStoresPackets() throws Exception {
        StringBuilder users = new StringBuilder("store: {idleSession: 1ms}\nusers:\n");
        for (int i = 0; i < GROUPS; i++) {
            users.append("  - {name: pfuzzu" + i + ", plugin: none, storeUser: pfuzzu" + i + "}\n");
        }
        // A session that the gateway logs in by itself offers no session tracking.
        run("pfuzzu", "pfuzzt", users.toString(), Capabilities.CLIENT_SESSION_TRACK);
    }
}
