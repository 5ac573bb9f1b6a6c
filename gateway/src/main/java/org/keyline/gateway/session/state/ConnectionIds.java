package org.keyline.gateway.session.state;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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

/**
 * Which session of the store belongs to which client. The two have ids of their own where the client was greeted by the gateway: its KILL, or
 * its Ctrl-C, names what the greeting told. Thread-safe.
 */
public final class ConnectionIds {
    /** What may stand between KILL and an id. */
    private static final Set<String> BEFORE_ID = Set.of("HARD", "SOFT", "CONNECTION", "QUERY");

    /** Of an id, unsigned 32-bit. */
    private static final int MAX_DIGITS = 10;

    private final ConcurrentMap<Integer, StoreThread> threads = new ConcurrentHashMap<>();
    /** Clients without a session of the store. */
    private final ConcurrentMap<Integer, Supplier<CompletionStage<?>>> away = new ConcurrentHashMap<>();

    /**
     * A client has a session of the store.
     *
     * @param thread null if the store knows no ids but the clients'
     */
    public void opened(int clientId, @Nullable StoreThread thread) {
        away.remove(clientId);
        if (thread != null) {
            threads.put(clientId, thread);
        }
    }

    /**
     * A client's session of the store was released.
     *
     * @param back opens another one for it; may be called on any thread
     */
    public void away(int clientId, Supplier<CompletionStage<?>> back) {
        threads.remove(clientId);
        away.put(clientId, back);
    }

    /** Opens a session of the store for each client without one that the statements' KILL names; null if they name none. */
    public @Nullable CompletionStage<?> back(byte[] sql, int from, int to) {
        if (away.isEmpty()) {
            return null;
        }
        List<CompletableFuture<?>> opened = new ArrayList<>();
        Lexer lexer = new Lexer();
        lexer.reset(sql, from, to, SqlMode.DEFAULT);
        boolean named = false;
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            Integer id = named && type == TokenType.INTEGER ? id(lexer.token().text()) : null;
            Supplier<CompletionStage<?>> client = id == null ? null : away.get(id);
            if (client != null) {
                opened.add(client.get().toCompletableFuture());
            }
            named = lexer.is("KILL") || (named && BEFORE_ID.stream().anyMatch(lexer::is));
        }
        return opened.isEmpty() ? null : CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new));
    }

    /** Returns the sessions that are open now. */
    public List<StoreThread> atStore() {
        return List.copyOf(threads.values());
    }

    /** A client is gone, or its session of the store is. */
    public void closed(int clientId) {
        threads.remove(clientId);
        away.remove(clientId);
    }

    /** The statements as the store must get them: with its own ids in the place of clients'; null if they name no client's. */
    public byte @Nullable [] translate(byte[] sql, int from, int to) {
        if (threads.isEmpty()) {
            return null;
        }
        ByteArrayOutputStream translated = new ByteArrayOutputStream();
        int copied = from;
        boolean named = false;
        Lexer lexer = new Lexer();
        lexer.reset(sql, from, to, SqlMode.DEFAULT);
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            Integer storeId =
                    named && type == TokenType.INTEGER ? storeId(lexer.token().text()) : null;
            if (storeId != null) {
                translated.write(sql, copied, lexer.start() - copied);
                translated.writeBytes(Integer.toUnsignedString(storeId).getBytes(StandardCharsets.US_ASCII));
                copied = lexer.end();
            }
            named = lexer.is("KILL") || (named && BEFORE_ID.stream().anyMatch(lexer::is));
        }
        if (copied == from) {
            return null;
        }
        translated.write(sql, copied, to - copied);
        return translated.toByteArray();
    }

    private @Nullable Integer storeId(String clientId) {
        Integer id = id(clientId);
        StoreThread thread = id == null ? null : threads.get(id);
        return thread == null ? null : thread.id();
    }

    private static @Nullable Integer id(String text) {
        long id = text.length() > MAX_DIGITS ? -1 : Long.parseLong(text);
        return id == Integer.toUnsignedLong((int) id) ? (int) id : null;
    }
}
