package org.keyline.gateway.filter;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.keyline.gateway.condition.ConditionText;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.LoadSelect.ValueWriter;
import org.keyline.planner.TableName;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Load;
import org.keyline.stores.ddl.SqlText;

/**
 * Writes the SELECT that loads one filter line. The SELECT returns all columns of the rows that
 * meet a conjunction. Its LIMIT is one row more than a line may have. The first cell of each key in
 * the {@link org.keyline.rowcache.LineTable} is the conjunction; the cells of the row's own key
 * follow. Confined to one event loop.
 */
public final class FilterSelect {
    private final CachedTable table;
    private final Conjunction conjunction;
    private final FilterLines lines;
    private final KeyEncoder key;

    FilterSelect(CachedTable table, Conjunction conjunction, FilterLines lines, KeyEncoder named) {
        this.table = table;
        this.conjunction = conjunction;
        this.lines = lines;
        this.key = named;
    }

    public void write(Load load, ValueWriter values, ByteBuf sql) {
        TableName name = table.schema().name();
        text("SELECT * FROM " + SqlText.name(name.schema()) + "." + SqlText.name(name.table()) + " WHERE ", sql);
        ConditionText.write(conjunction, table, values, sql);
        text(" LIMIT " + (load.maxRows() + 1L), sql);
    }

    /** Returns the key of a row. It is valid until the next call. */
    public KeyEncoder keyOf(RowReader row, boolean binary) {
        key.truncate(1);
        table.appendKey(row, binary, key);
        return key;
    }

    /** Records the time and the rows of a load that took its own round trip to the store. */
    public void took(long nanos, long rows) {
        lines.admission().loadTook(nanos, rows, 1);
        replied(nanos);
    }

    /** Records the time of a load whose rows were the store's reply to a client's statement. */
    public void replied(long nanos) {
        lines.wider().took(conjunction, nanos);
    }

    private static void text(String text, ByteBuf sql) {
        sql.writeCharSequence(text, StandardCharsets.UTF_8);
    }
}
