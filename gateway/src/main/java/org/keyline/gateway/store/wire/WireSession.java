package org.keyline.gateway.store.wire;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.store.ReplyListener;
import org.keyline.gateway.store.StoreSession;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.PacketListener;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.TextRowReader;

/** A connection to a server, one command at a time; replies pass as they come. Confined to the connection's event loop. */
final class WireSession implements StoreSession, PacketListener {
    private final ClientConnection connection;
    private @Nullable ReplyListener listener;
    private boolean closed;

    /** @param onClosed runs when the server or the network ends the connection */
    WireSession(ClientConnection connection, Runnable onClosed) {
        this.connection = connection;
        connection.closed().thenRun(() -> {
            if (!closed) {
                closed = true;
                onClosed.run();
            }
        });
    }

    @Override
    public ReplyScanner replies() {
        return connection.reply();
    }

    @Override
    public int storeConnectionId() {
        return connection.connectionId();
    }

    @Override
    public int capabilities() {
        return connection.capabilities();
    }

    @Override
    public int initialStatus() {
        return connection.initialStatus();
    }

    @Override
    public void send(ByteBuf payload, ReplyListener hearer) {
        listener = hearer;
        connection.send(payload, this);
    }

    @Override
    public void begin(ByteBuf first, ReplyListener hearer) {
        listener = hearer;
        connection.begin(first, this);
    }

    @Override
    public void more(ByteBuf packet) {
        connection.continueCommand(packet);
    }

    @Override
    public void answer(ByteBuf packet) {
        int bytes = packet.readableBytes();
        if (bytes < Packets.MAX_PAYLOAD_BYTES) {
            connection.answer(packet);
        } else {
            // The longest packet would be read as the first piece of a longer one; a file may be cut anywhere.
            connection.answer(packet.slice(packet.readerIndex(), bytes / 2));
            connection.answer(packet.slice(packet.readerIndex() + bytes / 2, bytes - bytes / 2));
        }
    }

    @Override
    public boolean writable() {
        return connection.isWritable();
    }

    @Override
    public void onWritable(Runnable task) {
        connection.onWritable(task);
    }

    @Override
    public CompletionStage<Map<String, @Nullable String>> variables(List<String> names, boolean nothingFound) {
        Variables read = new Variables(names);
        String select = names.stream().map(name -> "@@" + name).collect(Collectors.joining(", ", "SELECT ", ""));
        if (!nothingFound) {
            connection.query(select, read);
            return read.values;
        }
        Variables none = new Variables(List.of());
        connection.query(select, read);
        connection.query("SELECT 1 LIMIT 0", none);
        return none.values.thenCompose(done -> read.values);
    }

    @Override
    public void packets(ByteBuf framed, ReplyScanner reply) {
        hearer().packets(framed);
    }

    @Override
    public boolean awaited(ReplyScanner reply) {
        return hearer().awaited();
    }

    @Override
    public void end(ReplyScanner reply) {
        ReplyListener hearer = hearer();
        listener = null;
        hearer.end();
    }

    @Override
    public void failed(Throwable cause) {
        ReplyListener hearer = hearer();
        listener = null;
        hearer.lost(cause);
    }

    private ReplyListener hearer() {
        return requireNonNull(listener, "no command is under way");
    }

    @Override
    public void pause() {
        connection.pause();
    }

    @Override
    public void resume() {
        connection.resume();
    }

    @Override
    public void close() {
        closed = true;
        connection.close();
    }

    /** Reads one row of values. */
    private static final class Variables implements ResultListener {
        final CompletableFuture<Map<String, @Nullable String>> values = new CompletableFuture<>();
        private final List<String> names;
        private final Map<String, @Nullable String> read = new LinkedHashMap<>();
        private final TextRowReader cells;

        Variables(List<String> names) {
            this.names = List.copyOf(names);
            this.cells = new TextRowReader(names.size());
        }

        @Override
        public void row(ByteBuf row) {
            cells.read(row);
            for (int i = 0; i < names.size(); i++) {
                read.put(names.get(i), cells.isNull(i) ? null : cells.text(i, StandardCharsets.UTF_8));
            }
        }

        @Override
        public void end(ReplySummary summary) {
            // A server that does not know one of them tells nothing.
            values.complete(Collections.unmodifiableMap(read));
        }

        @Override
        public void failed(Throwable cause) {
            values.completeExceptionally(cause);
        }
    }
}
