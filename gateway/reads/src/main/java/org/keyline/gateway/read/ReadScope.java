package org.keyline.gateway.read;

import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.ReplyColumns.Text;
import org.keyline.planner.PointRead;
import org.keyline.planner.digest.SqlMode;

/**
 * The user whom the store allowed to run the statement, and the session's properties that affect
 * the reply. A template is valid for one scope. Immutable.
 *
 * @param binary true for the binary rows of COM_STMT_EXECUTE, false for text rows of COM_QUERY
 * @param capabilities capability flags that affect replies; upper half: MariaDB's extended flags
 * @param schema the session's current schema, for unqualified names
 * @param resultCharset character set of strings from the store
 * @param mode the session's sql_mode, which MariaDB shows in the status flags
 * @param asStored whether the store sends text in the character set of each column
 * @param basicPlane whether the store replaces characters beyond Unicode's basic plane in results
 * @param selectLimit maximum rows of a SELECT without LIMIT
 * @param cursor whether the client gets the rows by COM_STMT_FETCH
 * @param constants the literals in the select list, as written; empty if each of them is 1
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
    /** Returns the scope of one read; null if the text of a constant is unknown (a parameter). */
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
            // Quotes or digits delimit each literal, so the joined text is unambiguous.
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

    /** Returns whether column definitions have MariaDB's extended type information. */
    public boolean extended() {
        return capabilities >>> Integer.SIZE != 0;
    }

    /**
     * Returns the character set in which the store sends text.
     *
     * @param shown whether the store's column definitions show the character set of results
     */
    public Text text(boolean shown) {
        if (!shown) {
            return Text.ANY_UTF8;
        }
        return asStored ? Text.AS_STORED : basicPlane ? Text.UTF8MB3 : Text.UTF8MB4;
    }

    int kind() {
        return binary ? CachedTable.BINARY : CachedTable.TEXT;
    }
}
