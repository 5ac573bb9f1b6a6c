package org.keyline.gateway.table;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.Load;

/**
 * The SELECT that loads a line: all columns of the rows under a prefix, in key order and no more than one beyond the ceiling. It asks for
 * {@code *} and not by name, so that a definition that was changed past the gateway shows in the reply. A load
 * of one row by its full key is a bare point query, without ORDER BY and LIMIT, so that the store takes its own fast path; loads of
 * several such rows can be one SELECT. Immutable; thread-safe.
 */
public final class LoadSelect {
    /** Takes the key values of a SELECT as it is written: as literals, or as placeholders with parameters aside. */
    public interface ValueWriter {
        /** Writes the reader's next cell, which is not NULL, and moves past it. */
        void value(KeyColumn column, KeyReader key, ByteBuf sql);
    }

    /** Writes values as literals. */
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
    private static final byte[] IS_NULL = ascii(" IS NULL");
    private static final byte[] IS_NOT_NULL = ascii(" IS NOT NULL");

    private final List<KeyColumn> keys;
    private final byte[][] names;
    private final byte[] head;
    private final int prefixCells;
    private final byte[] order;

    LoadSelect(TableSchema schema, List<KeyColumn> keys, int prefixCells) {
        this.keys = keys;
        this.prefixCells = prefixCells;
        names = new byte[keys.size()][];
        StringJoiner rest = new StringJoiner(", ", " ORDER BY ", " LIMIT ");
        for (int i = 0; i < names.length; i++) {
            String name =
                    quoted(schema.columns().get(schema.keyColumns().get(i)).name());
            names[i] = name.getBytes(StandardCharsets.UTF_8);
            if (i >= prefixCells) {
                rest.add(name);
            }
        }
        order = rest.toString().getBytes(StandardCharsets.UTF_8);
        String from =
                quoted(schema.name().schema()) + "." + quoted(schema.name().table());
        head = (" * FROM " + from + " WHERE ").getBytes(StandardCharsets.UTF_8);
    }

    /** Whether lines are single rows, so that loads of several can be one statement. */
    public boolean ofSingleRows() {
        return prefixCells == keys.size();
    }

    /** Appends the statement that loads several single rows, by the keys {@code rows[0..count)}. */
    public void write(byte[][] rows, int count, ValueWriter values, ByteBuf sql) {
        sql.writeBytes(SELECT).writeBytes(head);
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

    /** The prefix's cells, each equal to a value. */
    private void equal(KeyReader key, ValueWriter values, ByteBuf sql) {
        for (int i = 0; i < prefixCells; i++) {
            if (i > 0) {
                sql.writeBytes(AND);
            }
            sql.writeBytes(names[i]).writeBytes(EQUAL);
            values.value(keys.get(i), key, sql);
        }
    }

    /**
     * Appends the statement of one load.
     *
     * @param hint for the store, behind SELECT; empty for none
     */
    public void write(Load load, byte[] hint, ValueWriter values, ByteBuf sql) {
        byte[] prefix = load.prefix();
        KeyReader key = new KeyReader().wrap(prefix, 0, prefix.length);
        sql.writeBytes(SELECT).writeBytes(hint).writeBytes(head);
        equal(key, values, sql);
        if (ofSingleRows()) {
            return;
        }
        byte[] from = load.from();
        if (from != null) {
            sql.writeBytes(AND);
            from(from, values, sql);
        }
        sql.writeBytes(order);
        sql.writeBytes(ascii(Long.toString(load.maxRows() + 1L)));
    }

    /** Rows at or above a key, as a comparison cell by cell: a &gt; x OR a = x AND b &gt; y OR … with &gt;= at the end. */
    private void from(byte[] from, ValueWriter values, ByteBuf sql) {
        sql.writeByte('(');
        for (int last = prefixCells; last < names.length; last++) {
            if (last > prefixCells) {
                sql.writeBytes(OR);
            }
            KeyReader key = new KeyReader().wrap(from, 0, from.length);
            for (int i = 0; i < prefixCells; i++) {
                key.skip();
            }
            for (int i = prefixCells; i < last; i++) {
                equal(i, key, values, sql);
                sql.writeBytes(AND);
            }
            above(last, key, values, sql);
        }
        sql.writeByte(')');
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

    /** NULL is the lowest value: everything is at it or above, everything else above it. */
    private void above(int column, KeyReader key, ValueWriter values, ByteBuf sql) {
        boolean end = column == names.length - 1;
        KeyReader.@Nullable Cell cell = key.next();
        if (cell == KeyReader.Cell.NULL) {
            key.nullCell();
            sql.writeByte('(').writeBytes(names[column]).writeBytes(IS_NOT_NULL);
            if (end) {
                sql.writeBytes(OR).writeBytes(names[column]).writeBytes(IS_NULL);
            }
            sql.writeByte(')');
        } else {
            sql.writeBytes(names[column]).writeBytes(end ? NOT_BELOW : ABOVE);
            values.value(keys.get(column), key, sql);
        }
    }

    private static String quoted(String name) {
        return '`' + name.replace("`", "``") + '`';
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
