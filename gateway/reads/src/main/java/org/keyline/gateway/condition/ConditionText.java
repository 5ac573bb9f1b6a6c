package org.keyline.gateway.condition;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.LoadSelect.ValueWriter;
import org.keyline.rowcache.KeyReader;

/** Writes conjunctions as the WHERE clause of a SELECT. */
public final class ConditionText {
    private ConditionText() {}

    /** Writes the conditions after WHERE. All their columns must be comparable by key bytes. */
    public static void write(Conjunction conjunction, CachedTable table, ValueWriter values, ByteBuf sql) {
        String and = "";
        for (int ordinal : conjunction.columns()) {
            KeyColumn column = table.comparable(ordinal);
            if (column == null) {
                throw new IllegalArgumentException(
                        "column: " + ordinal + " (expected: a collation that compares bytes)");
            }
            text(and, sql);
            and = " AND ";
            String name = table.schema().columns().get(ordinal).name();
            new Writer("`" + name.replace("`", "``") + "`", column, values, sql).set(conjunction.set(ordinal));
        }
        for (String opaque : conjunction.opaque()) {
            text(and + "(" + opaque + ")", sql);
            and = " AND ";
        }
        if (and.isEmpty()) {
            text("1 = 1", sql);
        }
    }

    private static void text(String text, ByteBuf sql) {
        sql.writeCharSequence(text, StandardCharsets.UTF_8);
    }

    private record Writer(String name, KeyColumn column, ValueWriter values, ByteBuf sql) {
        void set(IntervalSet set) {
            List<Runnable> alternatives = new ArrayList<>();
            IntervalSet found = set.and(IntervalSet.VALUES);
            IntervalSet others = set.otherValues();
            if (set.contains(IntervalSet.ONLY_NULL)) {
                alternatives.add(() -> text(name + " IS NULL", sql));
            }
            if (found.equals(IntervalSet.VALUES)) {
                alternatives.add(() -> text(name + " IS NOT NULL", sql));
            } else if (arePoints(others)) {
                // NOT IN also works for columns whose key bytes do not sort as the store's values.
                alternatives.add(() -> list(" NOT IN (", others));
            } else {
                ranges(found, alternatives);
            }
            if (alternatives.isEmpty()) {
                text("1 = 0", sql);
                return;
            }
            text("(", sql);
            for (int i = 0; i < alternatives.size(); i++) {
                text(i == 0 ? "" : " OR ", sql);
                alternatives.get(i).run();
            }
            text(")", sql);
        }

        private void ranges(IntervalSet found, List<Runnable> alternatives) {
            byte[][] ends = found.ends();
            List<IntervalSet> points = new ArrayList<>();
            for (int i = 0; i < ends.length; i += 2) {
                int at = i;
                if (found.isPoint(i)) {
                    points.add(IntervalSet.only(ends[i]));
                } else {
                    alternatives.add(() -> range(ends[at], ends[at + 1]));
                }
            }
            if (!points.isEmpty()) {
                alternatives.add(() -> list(" IN (", IntervalSet.union(points)));
            }
        }

        private static boolean arePoints(IntervalSet set) {
            for (int i = 0; i < set.ends().length; i += 2) {
                if (!set.isPoint(i)) {
                    return false;
                }
            }
            return true;
        }

        private void list(String in, IntervalSet points) {
            text(name + in, sql);
            for (int i = 0; i < points.ends().length; i += 2) {
                text(i == 0 ? "" : ", ", sql);
                value(points.ends()[i]);
            }
            text(")", sql);
        }

        private void range(byte[] from, byte[] below) {
            boolean lower = !Arrays.equals(from, IntervalSet.VALUES.ends()[0]);
            boolean upper = !Arrays.equals(below, IntervalSet.VALUES.ends()[1]);
            if (lower) {
                text(name + (isAboveCell(from) ? " > " : " >= "), sql);
                value(from);
            }
            if (upper) {
                text((lower ? " AND " : "") + name + (isAboveCell(below) ? " <= " : " < "), sql);
                value(below);
            }
        }

        /** Returns whether an interval's end is just above a value: its cell and one more byte. */
        private static boolean isAboveCell(byte[] end) {
            KeyReader reader = new KeyReader().wrap(end, 0, end.length);
            reader.skip();
            return reader.position() < end.length;
        }

        private void value(byte[] key) {
            values.value(column, new KeyReader().wrap(key, 0, key.length), sql);
        }
    }
}
