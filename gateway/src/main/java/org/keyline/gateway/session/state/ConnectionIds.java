package org.keyline.gateway.session.state;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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

    /**
     * A client has a session of the store.
     *
     * @param thread null if the store knows no ids but the clients'
     */
    public void opened(int clientId, @Nullable StoreThread thread) {
        if (thread != null) {
            threads.put(clientId, thread);
        }
    }

    /** Returns the sessions that are open now. */
    public List<StoreThread> atStore() {
        return List.copyOf(threads.values());
    }

    /** A client is gone, or its session of the store is. */
    public void closed(int clientId) {
        threads.remove(clientId);
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
        long id = clientId.length() > MAX_DIGITS ? 0 : Long.parseLong(clientId);
        StoreThread thread = id == Integer.toUnsignedLong((int) id) ? threads.get((int) id) : null;
        return thread == null ? null : thread.id();
    }
}
