package org.keyline.stores.mysql;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.EofTranslation;
import org.keyline.protocol.client.PacketListener;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.TextRowReader;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.StoreSession;
import org.keyline.stores.StoreThread;
import org.keyline.stores.StoreTrait;
import org.keyline.stores.mysql.catalog.Dialect;

/** Relays a client's commands, and translates replies to its format. Confined to one event loop. */
final class WireSession implements StoreSession, PacketListener {
    /** A subquery for a checksum of the current account's own global rights. */
    private static final String RIGHTS_SELECT = "(SELECT SUM(CRC32(CONCAT(PRIVILEGE_TYPE, IS_GRANTABLE)))"
            + " FROM information_schema.USER_PRIVILEGES WHERE REPLACE(GRANTEE, '''', '') = CURRENT_USER())";

    private final ClientConnection connection;
    private final Dialect dialect;
    /** Translates packets; null if they already have the format that the client expects. */
    private final @Nullable EofTranslation translation;

    private final ArrayDeque<ReplyListener> listeners = new ArrayDeque<>(2);

    private final Kills kills;

    private boolean closed;

    /**
     * @param capabilities the capability flags of the session's client
     * @param onClosed runs when the server or the network closes the connection
     */
    WireSession(ClientConnection connection, int capabilities, Dialect dialect, Kills kills, Runnable onClosed) {
        this.connection = connection;
        this.kills = kills;
        this.dialect = dialect;
        boolean translates =
                Capabilities.has(capabilities & ~connection.capabilities(), Capabilities.CLIENT_DEPRECATE_EOF);
        this.translation = translates ? new EofTranslation() : null;
        connection.closed().thenRun(() -> {
            if (!closed) {
                closed = true;
                onClosed.run();
            }
        });
    }

    @Override
    public @Nullable ReplyScanner replies() {
        return translation == null ? connection.reply() : null;
    }

    @Override
    public StoreThread thread() {
        return new StoreThread(connection.connectionId(), connection.remoteAddress(), connection.localAddress());
    }

    @Override
    public int capabilities() {
        return connection.capabilities() | (translation == null ? 0 : Capabilities.CLIENT_DEPRECATE_EOF);
    }

    @Override
    public int initialStatus() {
        return connection.initialStatus();
    }

    @Override
    public void send(ByteBuf payload, ReplyListener listener) {
        enqueue(payload, listener);
        connection.send(payload, this);
    }

    @Override
    public void sendAhead(ByteBuf payload, ReplyListener listener) {
        enqueue(payload, listener);
        connection.sendAhead(payload, this);
    }

    @Override
    public void begin(ByteBuf first, ReplyListener listener) {
        enqueue(first, listener);
        connection.begin(first, this);
    }

    private void enqueue(ByteBuf payload, ReplyListener listener) {
        listeners.add(listener);
        if (translation != null) {
            translation.begin(payload.getUnsignedByte(payload.readerIndex()), connection.capabilities());
        }
    }

    @Override
    public void more(ByteBuf packet) {
        connection.continueCommand(packet);
    }

    @Override
    public void answer(ByteBuf packet) {
        int bytes = packet.readableBytes();
        if (translation != null) {
            translation.answered(bytes == 0);
        }
        if (bytes < Packets.MAX_PAYLOAD_BYTES) {
            connection.answer(packet);
        } else {
            // The server would take a packet of the maximum length for the first part of a longer
            // packet. The packets of a file can be split anywhere.
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
    public CompletionStage<SessionAnswer> ask(List<String> asked, List<String> counts) {
        if (!asked.contains(CATALOG)) {
            return askSettings(asked, counts);
        }
        List<String> others =
                asked.stream().filter(name -> !name.equals(CATALOG)).toList();
        CatalogAnswer catalog = new CatalogAnswer();
        connection.query(dialect.catalogQuestion(), catalog);
        CompletionStage<SessionAnswer> answer = others.isEmpty()
                ? CompletableFuture.completedFuture(new SessionAnswer(Map.of(), -1))
                : askSettings(others, counts);
        return answer.thenCombine(catalog.answer, WireSession::within);
    }

    private static SessionAnswer within(SessionAnswer answer, @Nullable String catalog) {
        Map<String, @Nullable String> values = new LinkedHashMap<>(answer.values());
        values.put(CATALOG, catalog);
        return new SessionAnswer(
                Collections.unmodifiableMap(values),
                answer.counted(),
                answer.counts(),
                answer.status(),
                answer.collation());
    }

    private CompletionStage<SessionAnswer> askSettings(List<String> asked, List<String> counts) {
        if (dialect.has(StoreTrait.SHOWS_VARIABLES)) {
            return show(asked);
        }
        Answer counted = new Answer(counts, true);
        boolean countsRows = asked.contains(FOUND_ROWS);
        CompletionStage<SessionAnswer> read = countsRows ? select(asked) : null;
        if (!counts.isEmpty()) {
            connection.query(
                    "SHOW SESSION STATUS WHERE Variable_name IN ('" + String.join("', '", counts) + "')", counted);
        }
        CompletionStage<SessionAnswer> answer = read != null ? read : select(asked);
        return counts.isEmpty() ? answer : answer.thenCombine(counted.answer, WireSession::with);
    }

    /** Requests values by SELECTs. The first asks for FOUND_ROWS(), which each SELECT changes. */
    private CompletionStage<SessionAnswer> select(List<String> asked) {
        List<String> functions = dialect.needsSeparateSelects()
                ? asked.stream()
                        .filter(name -> name.endsWith("()"))
                        .sorted(Comparator.comparing(name -> !name.equals(FOUND_ROWS)))
                        .toList()
                : List.of();
        // GLOBAL_RIGHTS has a subquery, whose rows FOUND_ROWS() in the same SELECT would count.
        List<String> apart = !functions.isEmpty()
                ? functions.subList(1, functions.size())
                : asked.contains(FOUND_ROWS) && asked.contains(GLOBAL_RIGHTS) ? List.of(GLOBAL_RIGHTS) : List.of();
        CompletionStage<SessionAnswer> answer =
                ask(asked.stream().filter(name -> !apart.contains(name)).toList());
        for (String function : apart) {
            answer = answer.thenCombine(ask(List.of(function)), WireSession::both);
        }
        return answer;
    }

    private CompletionStage<SessionAnswer> ask(List<String> together) {
        Answer read = new Answer(together, false);
        connection.query(
                together.stream()
                        .map(name ->
                                name.equals(GLOBAL_RIGHTS) ? RIGHTS_SELECT : name.endsWith("()") ? name : "@@" + name)
                        .collect(Collectors.joining(", ", "SELECT ", "")),
                read);
        return read.answer;
    }

    /** Returns an answer with both answers' values; an empty answer if either one is empty. */
    private static SessionAnswer both(SessionAnswer one, SessionAnswer other) {
        if (one.values().isEmpty() || other.values().isEmpty()) {
            return one.values().isEmpty() ? one : other;
        }
        return merged(one, other);
    }

    private static SessionAnswer merged(SessionAnswer one, SessionAnswer other) {
        Map<String, @Nullable String> values = new LinkedHashMap<>(one.values());
        values.putAll(other.values());
        int status = Math.max(one.status(), other.status());
        return new SessionAnswer(Collections.unmodifiableMap(values), false, Map.of(), status, one.collation());
    }

    /**
     * Requests variables by SHOW, and functions by a SELECT. If the SELECT fails, the answer has
     * only the variables.
     */
    private CompletionStage<SessionAnswer> show(List<String> asked) {
        List<String> functions =
                asked.stream().filter(name -> name.endsWith("()")).toList();
        List<String> variables =
                asked.stream().filter(name -> !name.endsWith("()")).toList();
        CompletionStage<SessionAnswer> answer = CompletableFuture.completedFuture(new SessionAnswer(Map.of(), -1));
        if (!variables.isEmpty()) {
            Answer shown = new Answer(variables, true);
            connection.query("SHOW VARIABLES", shown);
            answer = shown.answer;
        }
        if (functions.isEmpty()) {
            return answer;
        }
        Answer selected = new Answer(functions, false);
        connection.query("SELECT " + String.join(", ", functions), selected);
        return answer.thenCombine(selected.answer, WireSession::merged);
    }

    private static SessionAnswer with(SessionAnswer values, SessionAnswer counts) {
        Map<String, String> counted = new LinkedHashMap<>();
        counts.values().forEach((name, count) -> counted.put(name, String.valueOf(count)));
        return new SessionAnswer(values.values(), true, counted, values.status(), values.collation());
    }

    @Override
    public void packets(ByteBuf framed, ReplyScanner reply) {
        if (translation == null) {
            listener().packets(framed);
            return;
        }
        ByteBuf translated = translation.translate(framed, connection.alloc());
        if (translated.isReadable()) {
            listener().packets(translated);
        } else {
            translated.release();
        }
    }

    @Override
    public boolean awaited(ReplyScanner reply) {
        return listener().awaited();
    }

    @Override
    public void end(ReplyScanner reply) {
        listeners.remove().end();
    }

    @Override
    public void failed(Throwable cause) {
        listeners.remove().lost(cause);
    }

    private ReplyListener listener() {
        return requireNonNull(listeners.peek(), "no command is under way");
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

    @Override
    public void abandon() {
        StoreThread thread = thread();
        boolean runs = !closed && connection.isOpen() && !listeners.isEmpty();
        close();
        if (runs) {
            kills.abandon(thread, connection.loop());
        }
    }

    /** Reads the value of each name: one per row if {@code shown}, otherwise one per column. */
    private static final class Answer implements ResultListener {
        final CompletableFuture<SessionAnswer> answer = new CompletableFuture<>();
        private final List<String> names;
        private final boolean shown;
        private final Map<String, @Nullable String> read = new LinkedHashMap<>();
        private TextRowReader cells = new TextRowReader(0);
        private int collation;

        Answer(List<String> names, boolean shown) {
            this.names = List.copyOf(names);
            this.shown = shown;
        }

        @Override
        public void columns(List<ColumnDefinition> columns) {
            cells = new TextRowReader(columns.size());
            for (ColumnDefinition column : columns) {
                if (column.collation() != Collation.BINARY) {
                    collation = column.collation();
                }
            }
        }

        @Override
        public void row(ByteBuf row) {
            cells.read(row);
            if (shown) {
                String name = String.valueOf(text(0)).toLowerCase(Locale.ROOT);
                if (names.contains(name)) {
                    put(name, 1);
                }
                return;
            }
            for (int i = 0; i < names.size(); i++) {
                put(names.get(i), i);
            }
        }

        private void put(String name, int cell) {
            read.put(name, text(cell));
        }

        private @Nullable String text(int cell) {
            return cells.isNull(cell) ? null : cells.text(cell, StandardCharsets.UTF_8);
        }

        @Override
        public void end(ReplySummary summary) {
            // A partial result is discarded. It can come from a server that lacks one of the names.
            boolean all = read.keySet().containsAll(names);
            Map<String, @Nullable String> values = all ? Collections.unmodifiableMap(read) : Map.of();
            int status = summary.hasStatus() ? summary.status() : -1;
            answer.complete(new SessionAnswer(values, false, Map.of(), status, collation));
        }

        @Override
        public void failed(Throwable cause) {
            answer.completeExceptionally(cause);
        }
    }
}
