package org.keyline.gateway.warmup;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.client.StatementArguments;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.ServerConnection;
import org.keyline.protocol.server.ServerContext;

/** A client on an embedded channel, logged in to the canned schema. Confined to one thread. */
final class WarmUpClient implements AutoCloseable {
    private static final int FLAGS = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_WITH_DB;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final CannedStore store;
    private int statements;

    /** @param number of the connection; drivers differ in whether they want EOF packets, and so does every other client */
    WarmUpClient(CannedStore store, ServerContext context, int number) {
        this.store = store;
        channel.pipeline().addLast(new ServerConnection(context, number));
        ask(login(number % 2 == 0 ? FLAGS : FLAGS | Capabilities.CLIENT_DEPRECATE_EOF));
    }

    /** Sends COM_QUERY. */
    void query(String sql) {
        ask(command(CommandCode.COM_QUERY, sql));
    }

    /** Sends several COM_QUERY at once. */
    void queries(List<String> texts) {
        ByteBuf all = channel.alloc().buffer();
        for (String text : texts) {
            ByteBuf command = command(CommandCode.COM_QUERY, text);
            all.writeBytes(command);
            command.release();
        }
        ask(all);
    }

    void ping() {
        ask(command(CommandCode.COM_PING, ""));
    }

    /** Prepares a statement, whose id is the number of those that were. */
    int prepare(String sql) {
        ask(command(CommandCode.COM_STMT_PREPARE, sql));
        return ++statements;
    }

    /** Sends COM_STMT_EXECUTE with texts and integers. */
    void execute(int statement, List<Object> values) {
        StatementArguments arguments = new StatementArguments();
        for (Object value : values) {
            if (value instanceof Long number) {
                arguments.addInt64(number);
            } else {
                arguments.addText(value.toString());
            }
        }
        ByteBuf packet = channel.alloc().buffer();
        int begin = Packets.begin(packet);
        arguments.encode(packet, statement);
        Packets.end(packet, begin, 0);
        ask(packet);
    }

    /** Sends bytes, which it releases, and has all happen that follows from them. */
    private void ask(ByteBuf bytes) {
        channel.pipeline().fireChannelRead(bytes);
        channel.pipeline().fireChannelReadComplete();
        int answered = drain();
        do {
            channel.runPendingTasks();
            answered += drain();
        } while (store.deliver());
        if (answered == 0) {
            throw new IllegalStateException("no answer from the gateway in front of the canned store");
        }
    }

    private int drain() {
        int bytes = 0;
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            int header = out.readerIndex() + Packets.HEADER_BYTES;
            boolean error = bytes == 0 && header < out.writerIndex() && out.getUnsignedByte(header) == ErrPacket.HEADER;
            String text = error ? out.toString(StandardCharsets.UTF_8) : "";
            bytes += out.readableBytes();
            out.release();
            if (error) {
                throw new IllegalStateException("an error from the gateway in front of the canned store: " + text);
            }
        }
        return bytes;
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
        while (store.deliver()) {
            channel.runPendingTasks();
        }
    }

    private ByteBuf login(int flags) {
        ByteBuf packet = channel.alloc().buffer();
        int begin = Packets.begin(packet);
        new HandshakeResponse41(
                        flags,
                        0,
                        Collation.UTF8MB4_GENERAL_CI,
                        "canned",
                        new byte[0],
                        CannedTable.SCHEMA,
                        "mysql_native_password",
                        Map.of())
                .encode(packet);
        Packets.end(packet, begin, 1);
        return packet;
    }

    private ByteBuf command(int code, String text) {
        ByteBuf packet = channel.alloc().buffer();
        int begin = Packets.begin(packet);
        packet.writeByte(code).writeCharSequence(text, StandardCharsets.UTF_8);
        Packets.end(packet, begin, 0);
        return packet;
    }
}
