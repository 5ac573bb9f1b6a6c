package org.keyline.gateway.differential;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.PacketListener;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.StatementArguments;

/** A client that returns replies as raw packets. Blocks; for one thread. */
public final class RawClient implements AutoCloseable {
    private static final long SECONDS = 60;
    /** The file that LOAD DATA LOCAL receives, whatever file the server requests. */
    private static final List<byte[]> FILE =
            List.of("900001\tone\n900002\tt".getBytes(StandardCharsets.UTF_8), "wo\n".getBytes(StandardCharsets.UTF_8));

    /** No attributes, in one set. */
    private static final byte[] NO_ATTRIBUTES = {0, 1};

    /** Serves all of them. */
    public static final EventLoop LOOP = new MultiThreadIoEventLoopGroup(
                    1, new DefaultThreadFactory(RawClient.class, true), NioIoHandler.newFactory())
            .next();

    private final ClientConnection connection;

    /** Connects with these options. */
    public RawClient(ClientOptions options) throws Exception {
        connection =
                ClientConnection.connect(options, LOOP).toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
    }

    RawClient(int port, boolean deprecateEof) throws Exception {
        this(ClientOptions.of("127.0.0.1", port, "root")
                .capabilities(ClientOptions.DEFAULT_CAPABILITIES
                        & ~(deprecateEof ? 0 : Capabilities.CLIENT_DEPRECATE_EOF)
                        & ~Capabilities.CLIENT_SSL)
                .build());
    }

    /** Returns whether an OK packet ends rows, and no packet ends definitions. */
    boolean deprecatesEof() {
        return Capabilities.has(connection.capabilities(), Capabilities.CLIENT_DEPRECATE_EOF);
    }

    public Answer query(String sql) throws Exception {
        return query(NO_ATTRIBUTES, sql);
    }

    /**
     * Runs a statement with query attributes, which are omitted if the server does not support
     * them.
     */
    public Answer query(byte[] attributes, String sql) throws Exception {
        return begin(attributes, sql).get(SECONDS, TimeUnit.SECONDS);
    }

    /** Sends a statement; the reply follows. */
    public CompletableFuture<Answer> begin(String sql) {
        return begin(NO_ATTRIBUTES, sql);
    }

    private CompletableFuture<Answer> begin(byte[] attributes, String sql) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        byte[] ahead = Capabilities.has(connection.capabilities(), Capabilities.CLIENT_QUERY_ATTRIBUTES)
                ? attributes
                : new byte[0];
        return begin(Unpooled.buffer(1 + ahead.length + text.length)
                .writeByte(CommandCode.COM_QUERY)
                .writeBytes(ahead)
                .writeBytes(text));
    }

    /** Returns the server's id of this connection. */
    public int connectionId() {
        return connection.connectionId();
    }

    /** Returns the statement's id, or -1 if the server refused. */
    public int prepare(String sql) throws Exception {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        Answer answer = send(Unpooled.buffer(1 + text.length)
                .writeByte(CommandCode.COM_STMT_PREPARE)
                .writeBytes(text));
        return answer.isError()
                ? -1
                : Integer.reverseBytes(
                        Integer.parseUnsignedInt(answer.packets().get(0).substring(10, 18), 16));
    }

    public Answer execute(int statement, StatementArguments arguments) throws Exception {
        return begin(statement, arguments).get(SECONDS, TimeUnit.SECONDS);
    }

    /** Executes a prepared statement; the reply follows. */
    public CompletableFuture<Answer> begin(int statement, StatementArguments arguments) {
        ByteBuf payload = Unpooled.buffer();
        arguments.encode(payload, statement, connection.capabilities());
        return begin(payload);
    }

    public void closeStatement(int statement) {
        connection.loop().execute(() -> connection.closeStatement(statement));
    }

    /** Runs a statement that must succeed. */
    public void run(String sql) throws Exception {
        Answer answer = query(sql);
        if (answer.isError()) {
            byte[] text = io.netty.buffer.ByteBufUtil.decodeHexDump(
                    answer.packets().get(0).substring(10));
            throw new AssertionError(sql + ": " + new String(text, StandardCharsets.UTF_8));
        }
    }

    /** Sends one command, whose payload begins with its code, and waits for the whole reply. */
    public Answer send(ByteBuf payload) throws Exception {
        return begin(payload).get(SECONDS, TimeUnit.SECONDS);
    }

    /** Sends one command, whose payload begins with its code; the reply follows. */
    public CompletableFuture<Answer> begin(ByteBuf payload) {
        CompletableFuture<Answer> done = new CompletableFuture<>();
        List<String> packets = new ArrayList<>();
        connection.loop().execute(() -> {
            try {
                connection.send(payload, new PacketListener() {
                    @Override
                    public void packets(ByteBuf framed, ReplyScanner reply) {
                        Answer.collect(framed, packets);
                        framed.release();
                    }

                    @Override
                    public boolean awaited(ReplyScanner reply) {
                        if (!reply.awaitsFile()) {
                            // The proof of an account without a password.
                            connection.answer(Unpooled.EMPTY_BUFFER);
                            return true;
                        }
                        for (byte[] piece : FILE) {
                            connection.answer(Unpooled.wrappedBuffer(piece));
                        }
                        connection.answer(Unpooled.EMPTY_BUFFER);
                        return true;
                    }

                    @Override
                    public void end(ReplyScanner reply) {
                        done.complete(new Answer(packets));
                    }

                    @Override
                    public void failed(Throwable cause) {
                        done.completeExceptionally(cause);
                    }
                });
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    @Override
    public void close() {
        connection.loop().execute(connection::close);
    }
}
