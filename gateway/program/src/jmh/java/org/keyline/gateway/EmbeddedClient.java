package org.keyline.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.StatementArguments;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.ServerConnection;
import org.keyline.protocol.server.ServerContext;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.protocol.server.SessionFactory;

/** A client on an embedded channel, logged in to schema {@code ycsb}. Confined to one thread. */
final class EmbeddedClient implements AutoCloseable {
    private static final int FLAGS = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_WITH_DB
            | Capabilities.CLIENT_DEPRECATE_EOF;

    private static final int MAX_READS = 10;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final HandedOver store;
    private @Nullable Read readPrepared;
    private int statements;

    EmbeddedClient(HandedOver store, SessionFactory sessions) {
        this.store = store;
        store.serve(channel.eventLoop());
        Account root = new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        ServerContext context = new ServerContext(
                ServerOptions.of(store.serverVersion()),
                new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                (user, from) -> root,
                sessions,
                ServerListener.NONE,
                Runnable::run);
        channel.pipeline().addLast(new ServerConnection(context, 1));
        ask(login());
    }

    /**
     * A read batch of commands that lines can answer from now on.
     *
     * @param user returns the user whose row a command reads, by its place in the batch
     * @throws IllegalStateException if lines do not answer them
     */
    byte[] batch(Read read, boolean prepared, int commands, IntUnaryOperator user, int users) {
        if (prepared && readPrepared != read) {
            ask(command(CommandCode.COM_STMT_PREPARE, read.sql()));
            statements++;
            readPrepared = read;
        }
        ByteBuf bytes = Unpooled.buffer();
        for (int i = 0; i < commands; i++) {
            int whom = user.applyAsInt(i);
            ByteBuf command = prepared ? execute(statements, read.values(whom, users)) : query(read.sql(whom, users));
            // A read that misses has no reply in the same turn.
            for (int tries = 0; send(ByteBufUtil.getBytes(command)) == 0; tries++) {
                if (tries == MAX_READS) {
                    throw new IllegalStateException(read + " of " + whom + ": no hit");
                }
                await();
            }
            bytes.writeBytes(command);
        }
        return ByteBufUtil.getBytes(bytes);
    }

    /**
     * Sends commands that lines answer, as one read batch; returns the number of bytes received.
     */
    int send(byte[] batch) {
        channel.pipeline()
                .fireChannelRead(channel.alloc().ioBuffer(batch.length).writeBytes(batch));
        channel.pipeline().fireChannelReadComplete();
        return drain();
    }

    /** Sends a command and waits for its reply, which may come from the store. */
    void ask(ByteBuf command) {
        channel.pipeline().fireChannelRead(channel.alloc().ioBuffer().writeBytes(command));
        channel.pipeline().fireChannelReadComplete();
        await();
    }

    private void await() {
        while (drain() == 0) {
            store.deliver(channel.eventLoop());
            channel.runPendingTasks();
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
    }

    private int drain() {
        int bytes = 0;
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            bytes += out.readableBytes();
            out.release();
        }
        return bytes;
    }

    private static ByteBuf login() {
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        new HandshakeResponse41(
                        FLAGS,
                        0,
                        Collation.UTF8MB4_GENERAL_CI,
                        "root",
                        new byte[0],
                        "ycsb",
                        "mysql_native_password",
                        Map.of())
                .encode(packet);
        Packets.end(packet, begin, 1);
        return packet;
    }

    static ByteBuf query(String sql) {
        return command(CommandCode.COM_QUERY, sql);
    }

    private static ByteBuf command(int code, String text) {
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        packet.writeByte(code).writeCharSequence(text, StandardCharsets.UTF_8);
        Packets.end(packet, begin, 0);
        return packet;
    }

    /** With strings and integers. */
    private static ByteBuf execute(int statement, List<Object> values) {
        StatementArguments arguments = new StatementArguments();
        for (Object value : values) {
            if (value instanceof Integer number) {
                arguments.addInt64(number);
            } else {
                arguments.addText(value.toString());
            }
        }
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        arguments.encode(packet, statement);
        Packets.end(packet, begin, 0);
        return packet;
    }
}
