package org.keyline.gateway.condition;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.key.Spelling;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.Condition;
import org.keyline.planner.Condition.Comparison;
import org.keyline.planner.Condition.Operator;
import org.keyline.planner.KeyBound;
import org.keyline.planner.KeyPart;
import org.keyline.planner.KeyRange;
import org.keyline.planner.OpaqueCondition;
import org.keyline.planner.PointRead;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.KeyEncoder;

/** Evaluates the conditions of a read, with their values, on rows. Confined to one event loop. */
public final class RowConditions {
    public enum Verdict {
        IN,
        OUT,
        /** A cell cannot be compared exactly, and no other condition excludes the row. */
        UNKNOWN
    }

    private final int[] ordinals;
    private final KeyColumn[] columns;
    private final IntervalSet[] sets;
    private final List<String> opaque;
    private final KeyEncoder cell;

    private RowConditions(
            int[] ordinals, KeyColumn[] columns, IntervalSet[] sets, List<String> opaque, KeyEncoder cell) {
        this.opaque = opaque;
        this.ordinals = ordinals;
        this.columns = columns;
        this.sets = sets;
        this.cell = cell;
    }

    /**
     * Returns the conditions of a read with its values; null if a value cannot be compared exactly
     * with its column.
     */
    public static @Nullable RowConditions bind(PointRead plan, CachedTable table, SlotValues values) {
        KeyEncoder encoder = new KeyEncoder();
        int[] ordinals = plan.conditions().stream()
                .mapToInt(Condition::column)
                .distinct()
                .toArray();
        KeyColumn[] columns = new KeyColumn[ordinals.length];
        IntervalSet[] sets = new IntervalSet[ordinals.length];
        for (int i = 0; i < ordinals.length; i++) {
            int ordinal = ordinals[i];
            KeyColumn column = table.comparable(ordinal);
            if (column == null) {
                return null;
            }
            Binder binder = new Binder(column, values, encoder);
            columns[i] = column;
            sets[i] = IntervalSet.ALL;
            for (Condition condition : plan.conditions()) {
                IntervalSet set = condition.column() == ordinal ? binder.set(condition) : sets[i];
                if (set == null) {
                    return null;
                }
                sets[i] = sets[i].and(set);
            }
            int position = plan.table().keyPosition(ordinal);
            if (position >= 0 && !binder.isAlike(plan, position)) {
                return null;
            }
        }
        List<String> opaque = new ArrayList<>();
        for (OpaqueCondition condition : plan.opaque()) {
            String text = OpaqueText.of(condition, plan.table(), values);
            if (text == null) {
                return null;
            }
            opaque.add(text);
        }
        return new RowConditions(ordinals, columns, sets, opaque, encoder);
    }

    public Conjunction conjunction() {
        return Conjunction.of(ordinals, sets, opaque);
    }

    /** Returns the conditions to test on rows that meet {@code known}; null if none is needed. */
    public @Nullable RowConditions beside(Conjunction known) {
        int[] left = IntStream.range(0, ordinals.length)
                .filter(i -> !sets[i].equals(known.set(ordinals[i])))
                .toArray();
        return left.length == 0
                ? null
                : new RowConditions(
                        IntStream.of(left).map(i -> ordinals[i]).toArray(),
                        IntStream.of(left).mapToObj(i -> columns[i]).toArray(KeyColumn[]::new),
                        IntStream.of(left).mapToObj(i -> sets[i]).toArray(IntervalSet[]::new),
                        List.of(),
                        cell);
    }

    public Verdict of(RowReader row, boolean binary) {
        Verdict verdict = Verdict.IN;
        for (int i = 0; i < ordinals.length; i++) {
            cell.reset();
            if (!CachedTable.cell(columns[i], row, ordinals[i], binary, cell) || !cell.fits()) {
                verdict = Verdict.UNKNOWN;
            } else if (!sets[i].contains(cell.buffer(), 0, cell.length())) {
                return Verdict.OUT;
            }
        }
        return verdict;
    }

    /** Computes the set of values that meet a read's conditions on one column. */
    private static final class Binder {
        private final KeyColumn column;
        private final SlotValues values;
        private final KeyEncoder encoder;
        private SlotValues.@Nullable Kind kind;

        Binder(KeyColumn column, SlotValues values, KeyEncoder encoder) {
            this.column = column;
            this.values = values;
            this.encoder = encoder;
        }

        @Nullable
        IntervalSet set(Condition condition) {
            List<IntervalSet> alternatives =
                    new ArrayList<>(condition.alternatives().size());
            for (List<Comparison> all : condition.alternatives()) {
                IntervalSet both = IntervalSet.ALL;
                if (!arePlain(all)) {
                    return null;
                }
                for (Comparison comparison : all) {
                    IntervalSet set = set(comparison);
                    if (set == null) {
                        return null;
                    }
                    both = all.size() == 1 ? set : both.and(set);
                }
                alternatives.add(both);
            }
            return IntervalSet.union(alternatives);
        }

        /** Returns whether possibly equal bounds have equal bytes: {@link Spelling}. */
        private boolean arePlain(List<Comparison> all) {
            for (Comparison low : all) {
                for (Comparison high : all) {
                    KeyPart from = low.operator() == Operator.AT_LEAST ? low.value() : null;
                    KeyPart to = high.operator() == Operator.AT_MOST ? high.value() : null;
                    if (from != null && to != null && !Spelling.isPlain(values, from.slot(), to.slot())) {
                        return false;
                    }
                }
            }
            return true;
        }

        private @Nullable IntervalSet set(Comparison comparison) {
            KeyPart value = comparison.value();
            byte[] key = value == null ? null : key(value);
            return switch (comparison.operator()) {
                case NULL -> IntervalSet.ONLY_NULL;
                case NOT_NULL -> IntervalSet.VALUES;
                case EQUAL -> key == null ? null : IntervalSet.only(key);
                case NOT_EQUAL -> key == null ? null : IntervalSet.allBut(key);
                case BELOW -> key == null ? null : IntervalSet.below(key, false);
                case AT_MOST -> key == null ? null : IntervalSet.below(key, true);
                case ABOVE -> key == null ? null : IntervalSet.above(key, false);
                case AT_LEAST -> key == null ? null : IntervalSet.above(key, true);
            };
        }

        private byte @Nullable [] key(KeyPart value) {
            encoder.reset();
            return isAlike(value) && column.bind(values, value.slot(), value.negated(), encoder) && encoder.fits()
                    ? encoder.toBytes()
                    : null;
        }

        /**
         * Returns whether the value has the same kind as the previous value. If a column is
         * compared with values of several kinds, it is unknown how the store compares them.
         */
        private boolean isAlike(KeyPart value) {
            SlotValues.Kind next = values.kind(value.slot());
            SlotValues.Kind known = kind;
            kind = next;
            return known == null || known == next;
        }

        /**
         * Returns whether the key ranges of the read compare the same column only with values of
         * the same kind. Key ranges can name a column that the conditions name, too.
         *
         * @param position the column's position in the key
         */
        boolean isAlike(PointRead plan, int position) {
            for (KeyRange range : plan.ranges()) {
                if (position < range.tuple().size() && !isAlike(range.tuple().get(position))) {
                    return false;
                }
                for (KeyBound bound : range.bounds()) {
                    if (bound.position() == position && !isAlike(bound.value())) {
                        return false;
                    }
                }
            }
            return true;
        }
    }
}
