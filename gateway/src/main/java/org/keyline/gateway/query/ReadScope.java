package org.keyline.gateway.query;

/**
 * What a template belongs to beside the statement shape: who was allowed the statement, and what in the session shapes the reply.
 * Immutable.
 *
 * @param user account the store authenticated
 * @param binary rows of COM_STMT_EXECUTE; of COM_QUERY otherwise
 * @param capabilities flags that shape replies
 * @param schema the session's current schema: unqualified names mean tables in it
 * @param resultCharset what the store sends strings in
 * @param basicPlane whether the store replaces characters beyond the basic plane in results
 */
public record ReadScope(
        String user, boolean binary, int capabilities, String schema, String resultCharset, boolean basicPlane) {
    /** The kind of lines that serve it. */
    int kind() {
        return binary ? CachedTable.BINARY : CachedTable.TEXT;
    }
}
