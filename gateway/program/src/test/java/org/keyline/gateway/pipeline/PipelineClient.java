package org.keyline.gateway.pipeline;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.fixtures.RawClient;

/**
 * One end of the comparison: sends commands, together or one by one, and records the replies. For
 * one thread.
 */
final class PipelineClient implements AutoCloseable {
    private static final int TIMEOUT_MS = 30_000;
    private static final int PREPARE_OK = 0;

    private final Socket socket;
    private final DataInputStream in;
    private final ReplyScanner scanner = new ReplyScanner();
    private final String schema;
    private final int capabilities;
    private final List<Integer> statements = new ArrayList<>();

    /** @param schema the name that replaces {@link PipelineIT#SCHEMA} at this end */
    PipelineClient(InetSocketAddress address, String user, String password, int flags, String schema)
            throws IOException {
        this.schema = schema;
        socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.connect(address, TIMEOUT_MS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 64 << 10));
        HandshakeV10 greeting = HandshakeV10.decode(payload(packet()));
        capabilities = flags & greeting.capabilities();
        byte[] proof = RawClient.proof(password, greeting.scramble());
        write(framed(1, RawClient.response(user, "", proof, "mysql_native_password", capabilities, 0)));
        ByteBuf answer = payload(packet());
        if (answer.getUnsignedByte(0) != 0) {
            throw new IOException("login: " + answer.toString(StandardCharsets.UTF_8));
        }
    }

    /**
     * Sends all commands at once. Returns each reply as its packets, headers included; values that
     * differ between two ends are made equal.
     */
    List<String> exchange(List<Command> commands) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Command command : commands) {
            int id = command.statement() < 0 ? -1 : statements.get(command.statement());
            all.writeBytes(command.packet(schema, id));
        }
        write(all.toByteArray());
        List<String> replies = new ArrayList<>();
        for (Command command : commands) {
            try {
                replies.add(reply(command));
            } catch (IOException e) {
                throw new IOException(
                        "no reply to " + command + " after " + replies.size() + " of " + commands.size(), e);
            }
        }
        return replies;
    }

    /** Returns whether the session's PREPARE of this number was accepted. */
    boolean isPrepared(int statement) {
        return statements.get(statement) != 0;
    }

    /**
     * Returns the single cell, a number, of a statement's result; {@code CLIENT_DEPRECATE_EOF} is
     * off.
     */
    long number(String sql) throws IOException {
        byte[] reply = exchange(List.of(Command.query(sql))).get(0).getBytes(StandardCharsets.ISO_8859_1);
        ByteBuf packets = Unpooled.wrappedBuffer(reply);
        // A count of columns, a definition, an EOF, the row.
        for (int skipped = 0; skipped < 3; skipped++) {
            packets.skipBytes(4 + packets.getUnsignedMediumLE(packets.readerIndex()));
        }
        packets.skipBytes(4);
        return Long.parseLong(packets.readCharSequence(packets.readUnsignedByte(), StandardCharsets.US_ASCII)
                .toString());
    }

    private String reply(Command command) throws IOException {
        scanner.begin(command.code(), capabilities);
        ByteBuf reply = Unpooled.buffer(256);
        while (!scanner.ended()) {
            int from = reply.writerIndex();
            reply.writeBytes(packet());
            int end = scanner.scan(reply, from, reply.writerIndex());
            if (end != reply.writerIndex()) {
                throw new IOException("a reply ends amid a packet");
            }
        }
        if (command.code() == CommandCode.COM_STMT_PREPARE) {
            boolean prepared = reply.getUnsignedByte(4) == PREPARE_OK;
            statements.add(prepared ? reply.getIntLE(5) : 0);
            if (prepared) {
                reply.setIntLE(5, 0);
            }
        }
        return reply.toString(StandardCharsets.ISO_8859_1)
                .replace(schema, PipelineIT.SCHEMA)
                .replaceAll("statement handler \\(\\d+\\)", "statement handler (?)");
    }

    private byte[] packet() throws IOException {
        int header = Integer.reverseBytes(in.readInt());
        int length = header & 0xFFFFFF;
        byte[] packet = new byte[4 + length];
        Unpooled.wrappedBuffer(packet).setIntLE(0, header);
        in.readFully(packet, 4, length);
        return packet;
    }

    private static ByteBuf payload(byte[] packet) {
        return Unpooled.wrappedBuffer(packet, 4, packet.length - 4);
    }

    private static byte[] framed(int id, byte[] payload) {
        byte[] packet = new byte[4 + payload.length];
        Unpooled.wrappedBuffer(packet).setIntLE(0, payload.length | id << 24);
        System.arraycopy(payload, 0, packet, 4, payload.length);
        return packet;
    }

    private void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
