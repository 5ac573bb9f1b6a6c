package org.keyline.gateway.store;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whose session a store session is, and how its replies are to be encoded.
 *
 * @param connectionId the client's connection id (CONNECTION_ID(), KILL); 0 for the gateway's own sessions
 * @param user authenticated user
 * @param host the client's address, as in USER()
 * @param database initial schema
 * @param capabilities negotiated with the client; replies honour them (CLIENT_DEPRECATE_EOF, CLIENT_MULTI_STATEMENTS, …)
 * @param collation id from the client's handshake
 * @param attributes connection attributes
 */
public record SessionIdentity(
        int connectionId,
        String user,
        String host,
        @Nullable String database,
        int capabilities,
        int collation,
        Map<String, String> attributes) {
    public SessionIdentity {
        attributes = Map.copyOf(attributes);
    }
}
