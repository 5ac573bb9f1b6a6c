package org.keyline.protocol.server;

import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ExtendedCapabilities;

/**
 * The flags of a server that a relay may offer to its clients. With these flags, every packet can
 * pass unchanged, and {@link org.keyline.protocol.client.ReplyScanner} finds the end of every
 * reply.
 */
final class RelayedFlags {
    /**
     * Flags that pass unchanged. Each side negotiates CLIENT_SSL and CLIENT_COMPRESS separately.
     */
    private static final int PASSED = ServerOptions.DEFAULT_CAPABILITIES
            | Capabilities.CLIENT_LOCAL_FILES
            | Capabilities.CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS
            | Capabilities.CLIENT_SESSION_TRACK
            | Capabilities.CLIENT_QUERY_ATTRIBUTES
            | Capabilities.CLIENT_SSL_VERIFY_SERVER_CERT
            | Capabilities.CLIENT_REMEMBER_OPTIONS;

    /** The relay always offers these flags, and translates the replies of servers without them. */
    private static final int TRANSLATED = Capabilities.CLIENT_DEPRECATE_EOF;

    private static final int OWN = Capabilities.CLIENT_SSL | Capabilities.CLIENT_COMPRESS;

    private static final int EXTENDED_PASSED = ExtendedCapabilities.MARIADB_CLIENT_PROGRESS
            | ExtendedCapabilities.MARIADB_CLIENT_STMT_BULK_OPERATIONS
            | ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA;

    private RelayedFlags() {}

    static int offered(int ofServer, ServerOptions options) {
        return (ofServer & PASSED) | TRANSLATED | (options.offered() & OWN);
    }

    /** @param unoffered flags that the server honours although it does not offer them */
    static int agreed(int ofServer, int unoffered, int ofClient) {
        return (ofServer | unoffered | TRANSLATED) & ofClient & PASSED;
    }

    static int asked(int agreed, int ofServer) {
        return agreed & (ofServer | ~TRANSLATED);
    }

    static int extended(int flags) {
        return flags & EXTENDED_PASSED;
    }
}
