package org.keyline.gateway.read;

import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.digest.SqlMode;

/**
 * What a template belongs to beside the statement shape: who was allowed the statement, and what in the session shapes the reply.
 * Immutable.
 *
 * @param user account the store authenticated
 * @param binary rows of COM_STMT_EXECUTE; of COM_QUERY otherwise
 * @param capabilities flags that shape replies; MariaDB's extended ones in the upper half
 * @param schema the session's current schema: unqualified names mean tables in it
 * @param resultCharset what the store sends strings in
 * @param mode the session's sql_mode, which MariaDB shows in the status flags
 * @param asStored whether the store sends text in the character set of each column
 * @param basicPlane whether the store replaces characters beyond the basic plane in results
 * @param selectLimit how many rows a SELECT without LIMIT answers at most
 * @param cursor whether the rows are to come by COM_STMT_FETCH
 */
public record ReadScope(
        String user,
        boolean binary,
        long capabilities,
        String schema,
        String resultCharset,
        SqlMode mode,
        boolean asStored,
        boolean basicPlane,
        long selectLimit,
        boolean cursor) {
    /** The kind of lines that serve it. */
    int kind() {
        return binary ? CachedTable.BINARY : CachedTable.TEXT;
    }
}
