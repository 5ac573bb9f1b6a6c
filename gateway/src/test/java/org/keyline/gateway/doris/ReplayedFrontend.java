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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.keyline.protocol.CommandCode;

/**
 * A server on loopback that answers as a Doris frontend has answered, byte for byte but for the ids of prepared statements. Any login is
 * let in. What is not recorded is error 1105, and remembered. Thread-safe.
 */
final class ReplayedFrontend implements AutoCloseable {
    /** Where Doris begins to count. */
    private static final int FIRST_STATEMENT = Integer.MIN_VALUE;

    private static final int ID_AT = 1;
    private static final int MIN_PREPARED = 10;
    /** What Connector/J puts in front of its own questions. */
    private static final Pattern DRIVER = Pattern.compile("^/\\* mysql-connector.*?\\*/", Pattern.DOTALL);

    /** A packet with the sequence id that it was sent with. Immutable. */
    @SuppressWarnings("ArrayRecordComponent") // sent as they are; nobody compares two
    private record Packet(int sequenceId, byte[] payload) {}

    private final ServerSocket listening;
    private final Map<String, List<Packet>> answers = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<Integer> logins = new CopyOnWriteArrayList<>();
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

    /** The commands so far, as the resource names them, those of drivers' own and of control connections among them. */
    List<String> asked() {
        return List.copyOf(asked);
    }

    /** The capabilities that each login so far has asked for, those of control connections among them. */
    List<Integer> logins() {
        return List.copyOf(logins);
    }

    /** Commands that have no recorded answer. */
    Set<String> unknown() {
        return Set.copyOf(unknown);
    }

    /** From now on a command is answered as another one was. */
    void answer(String command, String like) {
        answers.put(command, requireNonNull(answers.get(like), like));
    }

    /** From now on a command is refused. */
    void refuse(String command, String message) {
        answers.put(command, List.of(new Packet(1, error(message))));
    }

    /** From now on every command that begins so is refused. */
    void refuseAll(String beginning, String message) {
        answers.replaceAll(
                (command, answer) -> command.startsWith(beginning) ? List.of(new Packet(1, error(message))) : answer);
    }

    /** From now on a command's reply has other bytes in place of some; both of ISO 8859-1. */
    void replace(String command, String bytes, String others) {
        answers.computeIfPresent(
                command,
                (at, answer) -> answer.stream()
                        .map(packet -> new Packet(
                                packet.sequenceId(),
                                new String(packet.payload(), StandardCharsets.ISO_8859_1)
                                        .replace(bytes, others)
                                        .getBytes(StandardCharsets.ISO_8859_1)))
                        .toList());
    }

    /** Recorded commands that a client may send as they are. */
    List<String> commands() {
        return answers.keySet().stream()
                .filter(command -> command.startsWith("query ") || command.startsWith("command "))
                .sorted()
                .toList();
    }

    /** The packets of a command's reply in hex, headers included, numbered from 1. */
    List<String> packets(String command) {
        List<String> packets = new ArrayList<>();
        for (Packet packet : requireNonNull(answers.get(command), command)) {
            var bytes = Unpooled.buffer().writeIntLE(packet.payload().length | (packets.size() + 1) << 24);
            packets.add(ByteBufUtil.hexDump(bytes.writeBytes(packet.payload())));
        }
        return packets;
    }

    /** A recorded command as a client sends it. */
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
            send(out, requireNonNull(answers.get("greeting")));
            logins.add(Unpooled.wrappedBuffer(read(in)).getIntLE(0));
            send(out, List.of(new Packet(2, new byte[7])));
            Map<Integer, String> statements = new HashMap<>();
            for (byte[] command = read(in); command[0] != CommandCode.COM_QUIT; command = read(in)) {
                if (command[0] == CommandCode.COM_STMT_CLOSE) {
                    statements.remove(id(command));
                    asked.add("close");
                    continue;
                }
                send(out, reply(command, statements));
            }
        } catch (EOFException gone) {
            // The client left.
        } catch (IOException e) {
            unknown.add(e.toString());
        } finally {
            open.remove(client);
        }
    }

    private List<Packet> reply(byte[] command, Map<Integer, String> statements) {
        String key = key(command, statements);
        asked.add(key);
        List<Packet> answer = answers.get(key);
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
