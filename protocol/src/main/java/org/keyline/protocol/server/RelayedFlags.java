package org.keyline.protocol.server;

import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ExtendedCapabilities;

/**
 * The flags of a server that a relay may offer to its clients: those under which every packet can pass, and the end of
 * every reply is found by {@link org.keyline.protocol.client.ReplyScanner}. README.md has the reasons, flag by flag.
 */
final class RelayedFlags {
    /** Flags that pass. CLIENT_SSL and CLIENT_COMPRESS are each side's own. */
    private static final int PASSED = Capabilities.CLIENT_LONG_PASSWORD
            | Capabilities.CLIENT_FOUND_ROWS
            | Capabilities.CLIENT_LONG_FLAG
            | Capabilities.CLIENT_CONNECT_WITH_DB
            | Capabilities.CLIENT_NO_SCHEMA
            | Capabilities.CLIENT_ODBC
            | Capabilities.CLIENT_LOCAL_FILES
            | Capabilities.CLIENT_IGNORE_SPACE
            | Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_INTERACTIVE
            | Capabilities.CLIENT_IGNORE_SIGPIPE
            | Capabilities.CLIENT_TRANSACTIONS
            | Capabilities.CLIENT_RESERVED
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_MULTI_STATEMENTS
            | Capabilities.CLIENT_MULTI_RESULTS
            | Capabilities.CLIENT_PS_MULTI_RESULTS
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_ATTRS
            | Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA
            | Capabilities.CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS
            | Capabilities.CLIENT_SESSION_TRACK
            | Capabilities.CLIENT_DEPRECATE_EOF
            | Capabilities.CLIENT_QUERY_ATTRIBUTES
            | Capabilities.CLIENT_SSL_VERIFY_SERVER_CERT
            | Capabilities.CLIENT_REMEMBER_OPTIONS;

    /** Flags that clients have of the relay whatever the server has: its replies are translated. */
    private static final int TRANSLATED = Capabilities.CLIENT_DEPRECATE_EOF;

    private static final int OWN = Capabilities.CLIENT_SSL | Capabilities.CLIENT_COMPRESS;

    private static final int EXTENDED_PASSED = ExtendedCapabilities.MARIADB_CLIENT_PROGRESS
            | ExtendedCapabilities.MARIADB_CLIENT_STMT_BULK_OPERATIONS
            | ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA;

    private RelayedFlags() {}

    /** What clients are offered in front of a server with these flags. */
    static int offered(int ofServer, ServerOptions options) {
        return (ofServer & PASSED) | TRANSLATED | (options.offered() & OWN);
    }

    /**
     * What the client gets, each side's own flags left out.
     *
     * @param unoffered flags that the server honours though it does not offer them
     */
    static int agreed(int ofServer, int unoffered, int ofClient) {
        return (ofServer | unoffered | TRANSLATED) & ofClient & PASSED;
    }

    /** What of that the server is asked for. */
    static int asked(int agreed, int ofServer) {
        return agreed & (ofServer | ~TRANSLATED);
    }

    /** The part of MariaDB's flags that passes. */
    static int extended(int flags) {
        return flags & EXTENDED_PASSED;
    }
}
