package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;

/**
 * An internal command, which runs on the client's store session before a relayed command.
 *
 * @param payload creates the command when it is sent; the caller of the supplier owns the buffer
 * @param done receives the reply. If {@code done} returns an error, the client gets this error
 * instead of a reply, and the client's command is not sent
 * @param check receives the packets of the reply; null if the reply is not checked
 * @param undoes whether the transaction is rolled back if {@code done} returns an error
 * @param readsNoTable whether the command reads no table, and so changes neither the warnings nor a
 * transaction's snapshot
 * @param plain whether the store never refuses the command, except after a KILL. A read may then be
 * sent in the same write
 */
public record Preamble(
        Supplier<ByteBuf> payload,
        Function<ReplyScanner, @Nullable ErrPacket> done,
        @Nullable ReplyCheck check,
        boolean undoes,
        boolean readsNoTable,
        boolean plain) {
    /** The bytes before a text without query attributes, under CLIENT_QUERY_ATTRIBUTES. */
    private static final String NO_ATTRIBUTES = "\0\1";

    /** Creates a command without a check. Its failure does not roll back a transaction. */
    public Preamble(Supplier<ByteBuf> payload, Function<ReplyScanner, @Nullable ErrPacket> done) {
        this(payload, done, null, false, false, false);
    }

    /** Returns commands that prepare a statement, which runs nothing, and then close it. */
    public static List<Preamble> prepare(byte[] sql, Function<ReplyScanner, @Nullable ErrPacket> done) {
        int[] id = new int[1];
        return List.of(
                new Preamble(() -> command(CommandCode.COM_STMT_PREPARE, sql), reply -> {
                    id[0] = reply.summary().statementId();
                    return done.apply(reply);
                }),
                new Preamble(() -> close(id[0]), reply -> null));
    }

    /**
     * Returns a COM_QUERY without query attributes.
     *
     * @param attributes whether the connection sends query attributes
     */
    public static Supplier<ByteBuf> query(String sql, boolean attributes) {
        byte[] text = ((attributes ? NO_ATTRIBUTES : "") + sql).getBytes(StandardCharsets.UTF_8);
        return () -> command(CommandCode.COM_QUERY, text);
    }

    /** Returns the payload of a command. */
    public static ByteBuf command(int code, byte... rest) {
        return Unpooled.buffer(1 + rest.length).writeByte(code).writeBytes(rest);
    }

    /** Returns the payload that closes a statement. */
    public static ByteBuf close(int statementId) {
        return Unpooled.buffer(5).writeByte(CommandCode.COM_STMT_CLOSE).writeIntLE(statementId);
    }
}
