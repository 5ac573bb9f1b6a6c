package org.keyline.gateway.doris;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.Lenenc;

/**
 * A server on loopback that replays the recorded answers of a Doris frontend, byte for byte except
 * for the ids of prepared statements. It accepts any login. A command without a recording gets
 * error 1105 and is remembered. It follows each session's catalog ({@link FrontendPlace}); in the
 * other catalog, the table has other text. Thread-safe.
 */
final class ReplayedFrontend implements AutoCloseable {
    /** Doris's first statement id. */
    private static final int FIRST_STATEMENT = Integer.MIN_VALUE;

    /** A cell of {@code tbl_point_query}, by its length and text. */
    private static final String OWN_TEXT = "\3abc";

    private static final String OTHER_TEXT = "\3xyz";

    private static final int ID_AT = 1;
    private static final int MIN_PREPARED = 10;
    /** The comment at the beginning of Connector/J's own statements. */
    private static final Pattern DRIVER = Pattern.compile("^/\\* mysql-connector.*?\\*/", Pattern.DOTALL);

    /** A packet with the sequence id under which it was sent. Immutable. */
    @SuppressWarnings("ArrayRecordComponent") // sent as they are; nobody compares two
    private record Packet(int sequenceId, byte[] payload) {
        Packet at(int otherId) {
            return new Packet(otherId, payload);
        }
    }

    /** A recorded SET. */
    private static final String SET = "query SET autocommit = 1";

    private final ServerSocket listening;
    private final Map<String, List<Packet>> answers = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<Integer> logins = new CopyOnWriteArrayList<>();
    private volatile boolean several;
    private final AtomicInteger lastConnection = new AtomicInteger();
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    ReplayedFrontend() throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                requireNonNull(ReplayedFrontend.class.getResourceAsStream("frontend.txt")), StandardCharsets.UTF_8))) {
            List<Packet> answer = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("> ")) {
                    answer = new CopyOnWriteArrayList<>();
                    answers.put(line.substring(2), answer);
                } else if (!line.isEmpty() && !line.startsWith("#")) {
                    answer.add(packet(line));
                }
            }
        }
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    private static Packet packet(String line) {
        int space = line.indexOf(' ');
        return new Packet(
                Integer.parseInt(line.substring(0, space)), ByteBufUtil.decodeHexDump(line.substring(space + 1)));
    }

    int port() {
        return listening.getLocalPort();
    }

    /**
     * Returns the commands so far, by their names in the resource, including those of drivers and
     * of control connections.
     */
    List<String> asked() {
        return List.copyOf(asked);
    }

    /** Returns the capabilities of each login so far, including those of control connections. */
    List<Integer> logins() {
        return List.copyOf(logins);
    }

    /** Returns commands without a recorded answer. */
    Set<String> unknown() {
        return Set.copyOf(unknown);
    }

    /** Answers a command like another one from now on. */
    void answer(String command, String like) {
        answers.put(command, requireNonNull(answers.get(like), like));
    }

    /** Adds the catalog {@link FrontendPlace#OTHER} from now on. */
    void addCatalog() {
        several = true;
    }

    /** Refuses a command from now on. */
    void refuse(String command, String message) {
        answers.put(command, List.of(new Packet(1, error(message))));
    }

    /** Refuses every command with this beginning from now on. */
    void refuseAll(String beginning, String message) {
        answers.replaceAll(
                (command, answer) -> command.startsWith(beginning) ? List.of(new Packet(1, error(message))) : answer);
    }

    /** Replaces some bytes of a command's reply from now on; both texts are ISO 8859-1. */
    void replace(String command, String bytes, String others) {
        answers.computeIfPresent(
                command,
                (at, answer) -> answer.stream()
                        .map(packet -> changed(packet, bytes, others))
                        .toList());
    }

    /** Returns the recorded commands that a client may send unchanged. */
    List<String> commands() {
        return answers.keySet().stream()
                .filter(command -> command.startsWith("query ") || command.startsWith("command "))
                .sorted()
                .toList();
    }

    /** Returns the packets of a command's reply in hex, headers included, numbered from 1. */
    List<String> packets(String command) {
        List<String> packets = new ArrayList<>();
        for (Packet packet : requireNonNull(answers.get(command), command)) {
            var bytes = Unpooled.buffer().writeIntLE(packet.payload().length | (packets.size() + 1) << 24);
            packets.add(ByteBufUtil.hexDump(bytes.writeBytes(packet.payload())));
        }
        return packets;
    }

    /** Returns a recorded command as a client sends it. */
    static ByteBuf payload(String command) {
        String text = command.substring(command.indexOf(' ') + 1);
        if (command.startsWith("command ")) {
            return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(text));
        }
        int code = command.startsWith("query ") ? CommandCode.COM_QUERY : CommandCode.COM_STMT_PREPARE;
        ByteBuf payload = Unpooled.buffer().writeByte(code);
        payload.writeCharSequence(text.replace("\\n", "\n").replace("\\\\", "\\"), StandardCharsets.UTF_8);
        return payload;
    }

    private static byte[] error(String message) {
        var bytes = Unpooled.buffer().writeByte(0xFF).writeShortLE(1105);
        bytes.writeCharSequence("#HY000" + message, StandardCharsets.UTF_8);
        return ByteBufUtil.getBytes(bytes);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                open.add(client);
                start(() -> serve(client));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket client) {
        try (client;
                DataInputStream in = new DataInputStream(client.getInputStream());
                OutputStream out = client.getOutputStream()) {
            client.setTcpNoDelay(true);
            send(out, List.of(greeting()));
            byte[] response = read(in);
            logins.add(Unpooled.wrappedBuffer(response).getIntLE(0));
            HandshakeResponse41 login = HandshakeResponse41.decode(Unpooled.wrappedBuffer(response));
            FrontendPlace place = new FrontendPlace();
            boolean there = place.login(login.user(), login.database());
            send(out, List.of(new Packet(2, there ? new byte[7] : error("Unknown database"))));
            Map<Integer, String> statements = new HashMap<>();
            // A plan of the short circuit refers to its table permanently.
            Map<Integer, String> planned = new HashMap<>();
            for (byte[] command = read(in); command[0] != CommandCode.COM_QUIT; command = read(in)) {
                if (command[0] == CommandCode.COM_STMT_CLOSE) {
                    statements.remove(id(command));
                    planned.remove(id(command));
                    asked.add("close");
                    continue;
                }
                List<Packet> moved = moved(command, place);
                String catalog = command[0] == CommandCode.COM_STMT_EXECUTE
                        ? planned.computeIfAbsent(id(command), first -> place.catalog())
                        : place.catalog();
                send(out, moved != null ? moved : within(catalog, reply(command, statements)));
            }
        } catch (EOFException gone) {
            // the client has disconnected
        } catch (IOException e) {
            unknown.add(e.toString());
        } finally {
            open.remove(client);
        }
    }

    /** Returns the recorded greeting with a connection id of its own. */
    private Packet greeting() {
        Packet greeting = requireNonNull(answers.get("greeting")).get(0);
        byte[] payload = greeting.payload().clone();
        Unpooled.wrappedBuffer(payload)
                .setIntLE(
                        ByteBufUtil.indexOf(Unpooled.wrappedBuffer(new byte[1]), Unpooled.wrappedBuffer(payload)) + 1,
                        lastConnection.incrementAndGet());
        return new Packet(greeting.sequenceId(), payload);
    }

    /**
     * Returns the reply to a command that changes or shows the session's catalog; null for other
     * commands.
     */
    private @Nullable List<Packet> moved(byte[] command, FrontendPlace place) {
        String text = new String(command, 1, command.length - 1, StandardCharsets.UTF_8);
        Boolean done = switch (command[0]) {
            case CommandCode.COM_INIT_DB -> Boolean.valueOf(place.initDb(text));
            case CommandCode.COM_QUERY -> place.run(text);
            case CommandCode.COM_CHANGE_USER -> Boolean.valueOf(place.login(text.split("\0", 2)[0], null));
            default -> null;
        };
        if (command[0] == CommandCode.COM_RESET_CONNECTION) {
            place.reset();
        }
        if (done != null) {
            String key = key(command, Map.of());
            asked.add(key);
            byte[] payload = done ? new byte[7] : error("Unknown database or catalog");
            return answers.getOrDefault(key, List.of(new Packet(1, payload)));
        }
        if (command[0] == CommandCode.COM_QUERY && text.equals("SELECT DATABASE()")) {
            asked.add(key(command, Map.of()));
            return database(place);
        }
        if (several && command[0] == CommandCode.COM_QUERY && text.equals("SHOW CATALOGS")) {
            asked.add(key(command, Map.of()));
            return catalogs(place);
        }
        return null;
    }

    /** Returns the recorded definition of {@code database()} with the session's value. */
    private List<Packet> database(FrontendPlace place) {
        List<Packet> recorded = requireNonNull(
                answers.get("query SELECT version(), database(), user(), current_user(), connection_id()"));
        byte[] end = recorded.get(6).payload();
        var row = Unpooled.buffer();
        Lenenc.writeString(row, place.database());
        return List.of(
                new Packet(1, new byte[] {1}),
                changed(recorded.get(2), "database", "DATABASE").at(2),
                new Packet(3, end),
                new Packet(4, ByteBufUtil.getBytes(row)),
                new Packet(5, end));
    }

    /** Returns the recorded reply with one more catalog. */
    private List<Packet> catalogs(FrontendPlace place) {
        List<Packet> packets = new ArrayList<>(requireNonNull(answers.get("query SHOW CATALOGS")));
        Packet end = packets.remove(packets.size() - 1);
        boolean own = place.catalog().equals(FrontendPlace.OWN);
        if (!own) {
            packets.set(packets.size() - 1, changed(packets.get(packets.size() - 1), "\3Yes", "\2No"));
        }
        var row = Unpooled.buffer();
        for (String cell : List.of("10001", FrontendPlace.OTHER, "jdbc", own ? "No" : "Yes")) {
            Lenenc.writeString(row, cell);
        }
        row.writeByte(0xFB).writeByte(0xFB).writeByte(0).writeByte(0);
        packets.add(new Packet(end.sequenceId(), ByteBufUtil.getBytes(row)));
        packets.add(new Packet(end.sequenceId() + 1, end.payload()));
        return packets;
    }

    /** Returns a reply as it is in the session's catalog. */
    private static List<Packet> within(String catalog, List<Packet> reply) {
        return catalog.equals(FrontendPlace.OWN)
                ? reply
                : reply.stream()
                        .map(packet -> changed(packet, OWN_TEXT, OTHER_TEXT))
                        .toList();
    }

    private static Packet changed(Packet packet, String bytes, String others) {
        return new Packet(
                packet.sequenceId(),
                new String(packet.payload(), StandardCharsets.ISO_8859_1)
                        .replace(bytes, others)
                        .getBytes(StandardCharsets.ISO_8859_1));
    }

    /**
     * Returns whether a command without a recording sets several variables that are all in the
     * recorded list.
     */
    private boolean setsVariables(String key) {
        if (answers.containsKey(key) || !key.startsWith("query SET ") || !key.contains(", ")) {
            return false;
        }
        Set<String> listed = new HashSet<>();
        for (Packet row : answers.getOrDefault("query SHOW VARIABLES", List.of())) {
            int length = row.payload()[0] & 0xFF;
            if (length < row.payload().length) {
                listed.add(new String(row.payload(), 1, length, StandardCharsets.UTF_8));
            }
        }
        return Arrays.stream(key.substring("query SET ".length()).split(", ", -1))
                .allMatch(set -> listed.contains(set.substring(0, Math.max(0, set.indexOf(" = ")))));
    }

    private List<Packet> reply(byte[] command, Map<Integer, String> statements) {
        String key = key(command, statements);
        asked.add(key);
        List<Packet> answer = setsVariables(key) ? answers.get(SET) : answers.get(key);
        if (answer == null && key.contains(" FROM information_schema.columns ")) {
            // The recording does not contain this statement of Keyline.
            return List.of(new Packet(1, error("No backend available as scan node")));
        }
        if (answer == null && key.startsWith("prepare ") && answers.containsKey(key.replaceFirst("prepare", "query"))) {
            return List.of(new Packet(1, error("cannot be prepared")));
        }
        if (answer == null) {
            unknown.add(key);
            return List.of(new Packet(1, error("not recorded: " + key)));
        }
        Packet first = answer.get(0);
        if (command[0] != CommandCode.COM_STMT_PREPARE
                || first.payload()[0] != 0
                || first.payload().length < MIN_PREPARED) {
            return answer;
        }
        int id = FIRST_STATEMENT + statements.size();
        statements.put(id, key.substring("prepare ".length()));
        byte[] payload = first.payload().clone();
        Unpooled.wrappedBuffer(payload).setIntLE(ID_AT, id);
        List<Packet> prepared = new ArrayList<>(answer);
        prepared.set(0, new Packet(1, payload));
        return prepared;
    }

    private static String key(byte[] command, Map<Integer, String> statements) {
        String text = new String(command, 1, command.length - 1, StandardCharsets.UTF_8);
        return switch (command[0]) {
            case CommandCode.COM_QUERY -> "query " + line(DRIVER.matcher(text).replaceFirst(""));
            case CommandCode.COM_STMT_PREPARE -> "prepare " + line(text);
            case CommandCode.COM_STMT_EXECUTE ->
                "execute " + ByteBufUtil.hexDump(command, 5, command.length - 5) + " "
                        + statements.getOrDefault(id(command), "?");
            default -> "command " + ByteBufUtil.hexDump(command);
        };
    }

    private static String line(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n");
    }

    private static int id(byte[] command) {
        return Unpooled.wrappedBuffer(command).getIntLE(ID_AT);
    }

    private static byte[] read(DataInputStream in) throws IOException {
        byte[] header = in.readNBytes(4);
        if (header.length < 4) {
            throw new EOFException();
        }
        int length = Unpooled.wrappedBuffer(header).getMediumLE(0);
        return in.readNBytes(length);
    }

    private static void send(OutputStream out, List<Packet> packets) throws IOException {
        var bytes = Unpooled.buffer();
        for (Packet packet : packets) {
            bytes.writeIntLE(packet.payload().length | packet.sequenceId() << 24)
                    .writeBytes(packet.payload());
        }
        out.write(ByteBufUtil.getBytes(bytes));
        out.flush();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "frontend");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket client : open) {
            client.close();
        }
    }
}
