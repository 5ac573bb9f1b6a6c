package org.keyline.stores;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.memory.MemoryAccount;

/**
 * The client for which a store session is opened, and the format of the replies that it expects.
 *
 * @param connectionId the client's connection id (CONNECTION_ID(), KILL); 0 for the gateway's own
 * sessions
 * @param host the client's address, as in USER()
 * @param capabilities flags negotiated with the client; replies respect these flags
 * (CLIENT_DEPRECATE_EOF, CLIENT_MULTI_STATEMENTS, …)
 * @param collation id from the client's handshake
 * @param upstream the store connection that relayed the client's login. The session takes it over.
 * Null if the session needs a new connection
 * @param memory counts the session's memory in this process
 */
public record SessionIdentity(
        int connectionId,
        String user,
        String host,
        @Nullable String database,
        int capabilities,
        int collation,
        Map<String, String> attributes,
        @Nullable ClientConnection upstream,
        MemoryAccount memory) {
    public SessionIdentity {
        attributes = Map.copyOf(attributes);
    }

    public SessionIdentity(
            int connectionId,
            String user,
            String host,
            @Nullable String database,
            int capabilities,
            int collation,
            Map<String, String> attributes) {
        this(connectionId, user, host, database, capabilities, collation, attributes, null, MemoryAccount.unlimited());
    }
}
