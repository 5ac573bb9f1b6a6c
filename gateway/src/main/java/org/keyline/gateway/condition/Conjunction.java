package org.keyline.gateway.condition;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What conditions with their values say together: for each column the set of its values, in one form for all ways to say it. The order
 * of conditions, how often one is said, and how its values are spelled do not matter. Immutable.
 */
public final class Conjunction {
    /** By ordinal, ascending; none of their sets has every value and NULL. */
    private final int[] columns;

    private final IntervalSet[] sets;

    private Conjunction(int[] columns, IntervalSet[] sets) {
        this.columns = columns;
        this.sets = sets;
    }

    /**
     * What sets of values of columns say together.
     *
     * @param columns ordinals, each once
     */
    public static Conjunction of(int[] columns, IntervalSet[] sets) {
        int[] order = IntStream.range(0, columns.length)
                .filter(i -> !sets[i].equals(IntervalSet.ALL))
                .boxed()
                .sorted((one, other) -> Integer.compare(columns[one], columns[other]))
                .mapToInt(Integer::intValue)
                .toArray();
        return new Conjunction(
                IntStream.of(order).map(i -> columns[i]).toArray(),
                IntStream.of(order).mapToObj(i -> sets[i]).toArray(IntervalSet[]::new));
    }

    /** The columns that it is about, by ordinal. */
    public List<Integer> columns() {
        return IntStream.of(columns).boxed().toList();
    }

    /** What it says of a column. */
    public IntervalSet set(int column) {
        int at = Arrays.binarySearch(columns, column);
        return at < 0 ? IntervalSet.ALL : sets[at];
    }

    /** Whether no row meets it. */
    public boolean isContradiction() {
        return Arrays.stream(sets).anyMatch(IntervalSet::isEmpty);
    }

    /** Whether every row that meets this meets another one. */
    public boolean implies(Conjunction weaker) {
        for (int i = 0; i < weaker.columns.length; i++) {
            if (!weaker.sets[i].contains(set(weaker.columns[i]))) {
                return false;
            }
        }
        return true;
    }

    /** Bytes that no other conjunction on the same table has. */
    public byte[] identity() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < columns.length; i++) {
            byte[][] ends = sets[i].ends();
            number(columns[i], bytes);
            number(ends.length, bytes);
            for (byte[] end : ends) {
                number(end.length, bytes);
                bytes.writeBytes(end);
            }
        }
        return bytes.toByteArray();
    }

    private static void number(int value, ByteArrayOutputStream bytes) {
        bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(value).array());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Conjunction that
                && Arrays.equals(columns, that.columns)
                && Arrays.equals(sets, that.sets);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(columns) + Arrays.hashCode(sets);
    }

    @Override
    public String toString() {
        return "Conjunction[columns=" + Arrays.toString(columns) + ", sets=" + Arrays.toString(sets) + "]";
    }
}
