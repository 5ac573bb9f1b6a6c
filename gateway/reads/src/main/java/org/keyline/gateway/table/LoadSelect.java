package org.keyline.gateway.table;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.Load;
import org.keyline.stores.ddl.SqlText;

/**
 * Writes the SELECT that loads a line. The SELECT returns the rows under a prefix in key order. Its
 * LIMIT is one row more than a line may have. It selects {@code *}, so that the reply shows whether
 * the definition has changed. A load by the full key omits ORDER BY and LIMIT, so that the store
 * uses its fast path. Immutable; thread-safe.
 */
public final class LoadSelect {
    /** Writes the key values of a SELECT, in order, as literals or placeholders. */
    public interface ValueWriter {
        /** Writes the reader's next cell, which is not NULL, and advances past it. */
        void value(KeyColumn column, KeyReader key, ByteBuf sql);
    }

    public static final ValueWriter LITERALS = KeyColumn::literal;

    private static final byte[] SELECT = ascii("SELECT");
    private static final byte[] AND = ascii(" AND ");
    private static final byte[] OR = ascii(" OR ");
    private static final byte[] IN = ascii(" IN (");
    private static final byte[] COMMA = ascii(", ");
    private static final byte[] EQUAL = ascii(" = ");
    private static final byte[] OPEN = ascii("(");
    private static final byte[] OR_OPEN = ascii(" OR (");
    private static final byte[] ABOVE = ascii(" > ");
    private static final byte[] NOT_BELOW = ascii(" >= ");
    private static final byte[] BELOW = ascii(" < ");
    private static final byte[] NOT_ABOVE = ascii(" <= ");
    private static final byte[] WHERE = ascii(" WHERE ");
    private static final byte[] NEVER = ascii("FALSE");
    private static final byte[] IS_NULL = ascii(" IS NULL");
    private static final byte[] IS_NOT_NULL = ascii(" IS NOT NULL");

    private final List<KeyColumn> keys;
    private final byte[][] names;
    private final byte[] head;
    private final int prefixCells;
    private final byte[] order;
    private final byte[] descending;
    private final boolean[] nullable;

    LoadSelect(TableSchema schema, List<KeyColumn> keys, int prefixCells) {
        this.keys = keys;
        this.prefixCells = prefixCells;
        names = new byte[keys.size()][];
        nullable = new boolean[keys.size()];
        StringJoiner rest = new StringJoiner(", ", " ORDER BY ", " LIMIT ");
        StringJoiner down = new StringJoiner(" DESC, ", " ORDER BY ", " DESC LIMIT ");
        for (int i = 0; i < names.length; i++) {
            String name = SqlText.name(
                    schema.columns().get(schema.keyColumns().get(i)).name());
            names[i] = name.getBytes(StandardCharsets.UTF_8);
            nullable[i] = schema.columns().get(schema.keyColumns().get(i)).nullable();
            if (i >= prefixCells) {
                rest.add(name);
                down.add(name);
            }
        }
        order = rest.toString().getBytes(StandardCharsets.UTF_8);
        descending = down.toString().getBytes(StandardCharsets.UTF_8);
        String from = SqlText.name(schema.name().schema()) + "."
                + SqlText.name(schema.name().table());
        head = (" * FROM " + from).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether each line is a single row, so that one statement can load several lines. */
    public boolean ofSingleRows() {
        return prefixCells == keys.size();
    }

    /** Writes one SELECT of the rows with the complete keys {@code rows[0..count)}. */
    public void write(byte[][] rows, int count, ValueWriter values, ByteBuf sql) {
        sql.writeBytes(SELECT).writeBytes(head).writeBytes(WHERE);
        if (prefixCells == 1) {
            sql.writeBytes(names[0]).writeBytes(IN);
        }
        for (int row = 0; row < count; row++) {
            KeyReader key = new KeyReader().wrap(rows[row], 0, rows[row].length);
            if (prefixCells == 1) {
                if (row > 0) {
                    sql.writeBytes(COMMA);
                }
                values.value(keys.get(0), key, sql);
            } else {
                sql.writeBytes(row == 0 ? OPEN : OR_OPEN);
                equal(key, values, sql);
                sql.writeByte(')');
            }
        }
        if (prefixCells == 1) {
            sql.writeByte(')');
        }
    }

    /** Appends one equality per cell of the prefix. */
    private void equal(KeyReader key, ValueWriter values, ByteBuf sql) {
        for (int i = 0; i < prefixCells; i++) {
            if (i > 0) {
                sql.writeBytes(AND);
            }
            sql.writeBytes(names[i]).writeBytes(EQUAL);
            values.value(keys.get(i), key, sql);
        }
    }

    /** Writes the SELECT of one line, with {@code hint} (or nothing) after the word SELECT. */
    public void write(Load load, byte[] hint, ValueWriter values, ByteBuf sql) {
        byte[] prefix = load.prefix();
        KeyReader key = new KeyReader().wrap(prefix, 0, prefix.length);
        sql.writeBytes(SELECT).writeBytes(hint).writeBytes(head);
        byte[] joined = WHERE;
        if (prefixCells > 0) {
            sql.writeBytes(WHERE);
            equal(key, values, sql);
            joined = AND;
        }
        if (ofSingleRows()) {
            return;
        }
        byte[] from = load.from();
        if (from != null) {
            sql.writeBytes(joined);
            beyond(from, true, values, sql);
            joined = AND;
        }
        byte[] to = load.to();
        if (to != null && cells(to) > prefixCells) {
            sql.writeBytes(joined);
            beyond(to, false, values, sql);
        }
        sql.writeBytes(load.descends() ? descending : order);
        sql.writeBytes(ascii(Long.toString(load.maxRows() + 1L)));
    }

    /**
     * Writes a bound cell by cell: {@code a > x OR a = x AND b > y OR …}, with {@code >=} at the
     * end. The bound may have only the first cells of a key. Keys that begin with these cells are
     * at or above the bound; if {@link KeyEncoder#ABOVE} follows the cells, such keys are below the
     * bound.
     */
    private void beyond(byte[] bound, boolean up, ValueWriter values, ByteBuf sql) {
        int cells = cells(bound);
        boolean above = isAbove(bound, cells);
        sql.writeByte('(');
        for (int last = prefixCells; last < cells; last++) {
            if (last > prefixCells) {
                sql.writeBytes(OR);
            }
            KeyReader key = new KeyReader().wrap(bound, 0, bound.length);
            for (int i = 0; i < prefixCells; i++) {
                key.skip();
            }
            for (int i = prefixCells; i < last; i++) {
                equal(i, key, values, sql);
                sql.writeBytes(AND);
            }
            boolean inclusive = last == cells - 1 && above != up;
            if (up) {
                above(last, inclusive, key, values, sql);
            } else {
                below(last, inclusive, key, values, sql);
            }
        }
        sql.writeByte(')');
    }

    private int cells(byte[] bound) {
        KeyReader key = new KeyReader().wrap(bound, 0, bound.length);
        int cells = 0;
        while (cells < names.length && key.position() < bound.length && bound[key.position()] != KeyEncoder.ABOVE) {
            key.skip();
            cells++;
        }
        return cells;
    }

    private static boolean isAbove(byte[] bound, int cells) {
        KeyReader key = new KeyReader().wrap(bound, 0, bound.length);
        for (int i = 0; i < cells; i++) {
            key.skip();
        }
        return key.position() < bound.length;
    }

    private void equal(int column, KeyReader key, ValueWriter values, ByteBuf sql) {
        sql.writeBytes(names[column]);
        if (key.next() == KeyReader.Cell.NULL) {
            key.nullCell();
            sql.writeBytes(IS_NULL);
        } else {
            sql.writeBytes(EQUAL);
            values.value(keys.get(column), key, sql);
        }
    }

    /** Appends a lower bound. NULL is the lowest value, so every other value is above NULL. */
    private void above(int column, boolean inclusive, KeyReader key, ValueWriter values, ByteBuf sql) {
        KeyReader.@Nullable Cell cell = key.next();
        if (cell == KeyReader.Cell.NULL) {
            key.nullCell();
            sql.writeByte('(').writeBytes(names[column]).writeBytes(IS_NOT_NULL);
            if (inclusive) {
                sql.writeBytes(OR).writeBytes(names[column]).writeBytes(IS_NULL);
            }
            sql.writeByte(')');
        } else {
            sql.writeBytes(names[column]).writeBytes(inclusive ? NOT_BELOW : ABOVE);
            values.value(keys.get(column), key, sql);
        }
    }

    private void below(int column, boolean inclusive, KeyReader key, ValueWriter values, ByteBuf sql) {
        if (key.next() == KeyReader.Cell.NULL) {
            key.nullCell();
            if (inclusive) {
                sql.writeBytes(names[column]).writeBytes(IS_NULL);
            } else {
                sql.writeBytes(NEVER);
            }
            return;
        }
        sql.writeByte('(').writeBytes(names[column]).writeBytes(inclusive ? NOT_ABOVE : BELOW);
        values.value(keys.get(column), key, sql);
        if (nullable[column]) {
            sql.writeBytes(OR).writeBytes(names[column]).writeBytes(IS_NULL);
        }
        sql.writeByte(')');
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
