package org.keyline.gateway.warmup;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.EofPacket;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.Packets;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreSession;

/**
 * An in-memory store with one table of one row.
 *
 * @param due replies that {@link #deliver} has not delivered yet
 */
record CannedStore(Queue<Runnable> due) implements Store, Catalog, StoreSession {
    static final TableName TABLE = new TableName("canned", "canned");

    private static final TableSchema SCHEMA = new TableSchema(
            TABLE,
            1,
            TableModel.UNIQUE,
            List.of(ColumnSchema.of(
                    "id", org.keyline.planner.ColumnType.of(org.keyline.planner.ColumnType.Kind.BIGINT), false)),
            List.of(0),
            List.of(),
            "",
            Map.of("ENGINE", "InnoDB"),
            WriteScope.CELLS);
    private static final ColumnDefinition COLUMN = new ColumnDefinition(
            "def", "canned", "canned", "canned", "id", "id", Collation.BINARY, 20, ColumnType.LONGLONG, 0, 0);
    private static final Consumer<ByteBuf> EOF = new EofPacket(ServerStatus.SERVER_STATUS_AUTOCOMMIT, 0)::encode;
    private static final ByteBuf OK =
            packets(out -> OkPacket.of(ServerStatus.SERVER_STATUS_AUTOCOMMIT).encode(out, OkPacket.HEADER));
    private static final ByteBuf PREPARED =
            packets(new PrepareOk(1, 1, 1, 0)::encode, COLUMN::encode, EOF, COLUMN::encode, EOF);
    private static final ByteBuf TEXT_ROW = row(out -> Lenenc.writeString(out, "1"));
    private static final ByteBuf BINARY_ROW = row(out -> out.writeShort(0).writeLongLE(1));

    private static ByteBuf row(Consumer<ByteBuf> row) {
        return packets(out -> Lenenc.writeInt(out, 1), COLUMN::encode, EOF, row, EOF);
    }

    @SafeVarargs
    private static ByteBuf packets(Consumer<ByteBuf>... bodies) {
        ByteBuf out = Unpooled.buffer();
        int sequence = 1;
        for (Consumer<ByteBuf> body : bodies) {
            int begin = Packets.begin(out);
            body.accept(out);
            sequence = Packets.end(out, begin, sequence);
        }
        return out.asReadOnly();
    }

    /** Delivers the next due reply. Returns whether a reply was due. */
    boolean deliver() {
        Runnable reply = due.poll();
        if (reply != null) {
            reply.run();
        }
        return reply != null;
    }

    @Override
    public void send(ByteBuf payload, ReplyListener listener) {
        ByteBuf reply = switch (payload.getByte(payload.readerIndex())) {
            case CommandCode.COM_STMT_PREPARE -> PREPARED;
            case CommandCode.COM_STMT_EXECUTE -> BINARY_ROW;
            default -> payload.toString(StandardCharsets.ISO_8859_1).contains("SELECT") ? TEXT_ROW : OK;
        };
        due.add(() -> {
            listener.packets(reply.copy());
            listener.end();
        });
    }

    @Override
    public CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed) {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public int capabilities() {
        return WarmUp.FLAGS;
    }

    @Override
    public int initialStatus() {
        return ServerStatus.SERVER_STATUS_AUTOCOMMIT;
    }

    @Override
    public Catalog catalog() {
        return this;
    }

    @Override
    public @Nullable TableSchema table(String schema, String table) {
        return TABLE.equals(new TableName(schema, table)) ? SCHEMA : null;
    }

    @Override
    public long version() {
        return 1;
    }

    @Override
    public String serverVersion() {
        return "8.0.36-canned";
    }

    @Override
    public void pause() {}

    @Override
    public void resume() {}

    @Override
    public void close() {}
}
