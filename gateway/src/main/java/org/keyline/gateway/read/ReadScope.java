package org.keyline.gateway.read;

import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.ReplyColumns.Text;
import org.keyline.planner.PointRead;
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
 * @param constants the literals among the columns, as they are written; empty if there are none but the literal 1
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
        boolean cursor,
        String constants) {
    /**
     * Returns the scope of one read: the same, with the literals that it shows among the columns.
     *
     * @return null where one of them is a parameter
     */
    public @Nullable ReadScope of(PointRead read, SlotValues values) {
        if (read.constants().isEmpty() || values.areOnes(read.constants())) {
            return this;
        }
        StringBuilder written = new StringBuilder();
        for (int slot : read.constants()) {
            String literal = values.literal(slot);
            if (literal == null) {
                return null;
            }
            // The end of a literal is where its quotes or digits end.
            written.append(literal).append(',');
        }
        return new ReadScope(
                user,
                binary,
                capabilities,
                schema,
                resultCharset,
                mode,
                asStored,
                basicPlane,
                selectLimit,
                cursor,
                written.toString());
    }

    /** Whether definitions have MariaDB's extended type information. */
    public boolean extended() {
        return capabilities >>> Integer.SIZE != 0;
    }

    /**
     * What text its sessions are to get.
     *
     * @param shown whether the store's definitions tell the character set of results
     */
    public Text text(boolean shown) {
        if (!shown) {
            return Text.ANY_UTF8;
        }
        return asStored ? Text.AS_STORED : basicPlane ? Text.UTF8MB3 : Text.UTF8MB4;
    }

    /** The kind of lines that serve it. */
    int kind() {
        return binary ? CachedTable.BINARY : CachedTable.TEXT;
    }
}
