package org.keyline.gateway.session.state;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * Which session of the store belongs to which client. The two have ids of their own where the client was greeted by the gateway: its KILL, or
 * its Ctrl-C, names what the greeting told. Thread-safe.
 */
public final class ConnectionIds {
    private static final Set<String> BEFORE_ID = Set.of("KILL", "HARD", "SOFT", "CONNECTION", "QUERY");

    private final ConcurrentMap<Integer, Integer> storeIds = new ConcurrentHashMap<>();

    /**
     * A client has a session of the store.
     *
     * @param storeId 0 if the store knows no ids but the clients'
     */
    public void opened(int clientId, int storeId) {
        if (storeId != 0) {
            storeIds.put(clientId, storeId);
        }
    }

    /** Sessions that are open now, by the ids of the store. */
    public List<Integer> atStore() {
        return List.copyOf(storeIds.values());
    }

    /** A client is gone, or its session of the store is. */
    public void closed(int clientId) {
        storeIds.remove(clientId);
    }

    /** The statement as the store must get it: with its own id in the place of a client's; null if it names no client's. */
    public byte @Nullable [] translate(byte[] sql, int from, int to) {
        if (storeIds.isEmpty()) {
            return null;
        }
        String text = new String(sql, from, to - from, StandardCharsets.ISO_8859_1);
        List<Token> tokens = Lexer.tokens(text, SqlMode.DEFAULT);
        for (int i = 1; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.type() == TokenType.INTEGER
                    && BEFORE_ID.contains(tokens.get(i - 1).text().toUpperCase(Locale.ROOT))) {
                Integer storeId = token.text().length() > 10 ? null : storeIds.get((int) Long.parseLong(token.text()));
                return storeId == null
                        ? null
                        : (text.substring(0, token.start())
                                        + Integer.toUnsignedString(storeId)
                                        + text.substring(token.end()))
                                .getBytes(StandardCharsets.ISO_8859_1);
            }
        }
        return null;
    }
}
