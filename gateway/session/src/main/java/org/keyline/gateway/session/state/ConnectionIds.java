package org.keyline.gateway.session.state;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.StoreThread;

/** Maps the connection ids that clients write in KILL to their store sessions. Thread-safe. */
public final class ConnectionIds {
    /** Words that may be between KILL and an id. */
    private static final Set<String> BEFORE_ID = Set.of("HARD", "SOFT", "CONNECTION", "QUERY");

    /** Maximum length of an id, which is an unsigned 32-bit number. */
    private static final int MAX_DIGITS = 10;

    private final ConcurrentMap<Integer, StoreThread> threads = new ConcurrentHashMap<>();
    /** For each client without a store session, a function that opens one. */
    private final ConcurrentMap<Integer, Supplier<CompletionStage<?>>> away = new ConcurrentHashMap<>();

    /** Records a client's store session. {@code thread} is null if it has the client's id. */
    public void opened(int clientId, @Nullable StoreThread thread) {
        away.remove(clientId);
        if (thread != null) {
            threads.put(clientId, thread);
        }
    }

    /**
     * Called when the store session of an idle client was released.
     *
     * @param back opens another store session for the client; may be called on any thread
     */
    public void away(int clientId, Supplier<CompletionStage<?>> back) {
        threads.remove(clientId);
        away.put(clientId, back);
    }

    /** Opens missing store sessions of clients that a KILL names. Returns null if all have one. */
    public @Nullable CompletionStage<?> back(byte[] sql, int from, int to) {
        if (away.isEmpty()) {
            return null;
        }
        CompletableFuture<?>[] opened = named(sql, from, to).stream()
                .map(client -> away.get(client.id()))
                .filter(Objects::nonNull)
                .map(client -> client.get().toCompletableFuture())
                .toArray(CompletableFuture[]::new);
        return opened.length == 0 ? null : CompletableFuture.allOf(opened);
    }

    /** A client's id in a text. */
    private record Named(int id, int start, int end) {}

    /** Returns the ids in each KILL of a text. */
    private static List<Named> named(byte[] sql, int from, int to) {
        List<Named> ids = new ArrayList<>();
        Lexer lexer = new Lexer();
        lexer.reset(sql, from, to, SqlMode.DEFAULT);
        boolean named = false;
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            Integer id = named && type == TokenType.INTEGER ? id(lexer.token().text()) : null;
            if (id != null) {
                ids.add(new Named(id, lexer.start(), lexer.end()));
            }
            named = lexer.is("KILL") || (named && BEFORE_ID.stream().anyMatch(lexer::is));
        }
        return ids;
    }

    /** Returns the threads of all clients that have a store session. */
    public List<StoreThread> atStore() {
        return List.copyOf(threads.values());
    }

    /** Called when a store session has closed, even if its client never got this session. */
    public void closed(int clientId, StoreThread thread) {
        threads.remove(clientId, thread);
    }

    /** Called when the client or its store session has closed. */
    public void closed(int clientId) {
        threads.remove(clientId);
        away.remove(clientId);
    }

    /** Replaces clients' ids in each KILL by the store's; null if no KILL names a client. */
    public byte @Nullable [] translate(byte[] sql, int from, int to) {
        if (threads.isEmpty()) {
            return null;
        }
        ByteArrayOutputStream translated = new ByteArrayOutputStream();
        int copied = from;
        for (Named client : named(sql, from, to)) {
            StoreThread thread = threads.get(client.id());
            if (thread != null) {
                translated.write(sql, copied, client.start() - copied);
                translated.writeBytes(Integer.toUnsignedString(thread.id()).getBytes(StandardCharsets.US_ASCII));
                copied = client.end();
            }
        }
        if (copied == from) {
            return null;
        }
        translated.write(sql, copied, to - copied);
        return translated.toByteArray();
    }

    private static @Nullable Integer id(String text) {
        long id = text.length() > MAX_DIGITS ? -1 : Long.parseLong(text);
        return id == Integer.toUnsignedLong((int) id) ? (int) id : null;
    }
}
