package org.keyline.gateway.condition;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All conditions of a read, reduced to one set of values for each column, so that their order,
 * repetition and spelling do not matter. Opaque conditions, which only the store can evaluate, are
 * compared as texts. Immutable.
 */
public final class Conjunction {
    /** Marks opaque conditions in {@link #identity}. No column has this ordinal. */
    private static final int OPAQUE = -1;

    /** Ordinals of the columns, ascending. */
    private final int[] columns;

    private final IntervalSet[] sets;
    /** The opaque conditions as SQL text, sorted, without duplicates. */
    private final List<String> opaque;

    private Conjunction(int[] columns, IntervalSet[] sets, List<String> opaque) {
        this.columns = columns;
        this.sets = sets;
        this.opaque = opaque;
    }

    /** Returns the conjunction of one set per column. No column may occur twice. */
    public static Conjunction of(int[] columns, IntervalSet[] sets) {
        return of(columns, sets, List.of());
    }

    /** Returns the conjunction of one set per column, and of opaque conditions as SQL text. */
    public static Conjunction of(int[] columns, IntervalSet[] sets, List<String> opaque) {
        int[] order = IntStream.range(0, columns.length)
                .filter(i -> !sets[i].equals(IntervalSet.ALL))
                .boxed()
                .sorted((one, other) -> Integer.compare(columns[one], columns[other]))
                .mapToInt(Integer::intValue)
                .toArray();
        return new Conjunction(
                IntStream.of(order).map(i -> columns[i]).toArray(),
                IntStream.of(order).mapToObj(i -> sets[i]).toArray(IntervalSet[]::new),
                opaque.stream().sorted().distinct().toList());
    }

    public List<Integer> columns() {
        return IntStream.of(columns).boxed().toList();
    }

    public IntervalSet set(int column) {
        int at = Arrays.binarySearch(columns, column);
        return at < 0 ? IntervalSet.ALL : sets[at];
    }

    public List<String> opaque() {
        return opaque;
    }

    /** Returns a weaker conjunction, which has only the opaque conditions. */
    public Conjunction opaqueAlone() {
        return new Conjunction(new int[0], new IntervalSet[0], opaque);
    }

    /**
     * Returns whether the conditions contradict each other, so that no row can meet all of them.
     */
    public boolean isContradiction() {
        return Arrays.stream(sets).anyMatch(IntervalSet::isEmpty);
    }

    /**
     * Returns whether every row of this conjunction also meets {@code weaker}, and the gateway can
     * select these rows from the rows of {@code weaker}. The selection requires that the opaque
     * conditions of both conjunctions are equal.
     */
    public boolean implies(Conjunction weaker) {
        if (!opaque.equals(weaker.opaque)) {
            return false;
        }
        for (int i = 0; i < weaker.columns.length; i++) {
            if (!weaker.sets[i].contains(set(weaker.columns[i]))) {
                return false;
            }
        }
        return true;
    }

    /** Returns bytes that are unique among the table's conjunctions. */
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
        bytes.writeBytes(opaqueIdentity());
        return bytes.toByteArray();
    }

    /** Returns bytes that identify the opaque conditions; empty if no condition is opaque. */
    public byte[] opaqueIdentity() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String text : opaque) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            number(OPAQUE, bytes);
            number(utf8.length, bytes);
            bytes.writeBytes(utf8);
        }
        return bytes.toByteArray();
    }

    /**
     * Returns whether a row can meet the conjunction with this {@linkplain #identity() identity}.
     *
     * @param cells returns the key bytes of the row's cell in a column; null if they are unknown
     */
    public static boolean mayMeet(byte[] identity, IntFunction<byte @Nullable []> cells) {
        ByteBuffer bytes = ByteBuffer.wrap(identity);
        while (bytes.hasRemaining()) {
            int column = bytes.getInt();
            boolean opaque = column == OPAQUE;
            int parts = opaque ? 1 : bytes.getInt();
            byte[] cell = opaque ? null : cells.apply(column);
            int ends = 0;
            for (int i = 0; i < parts; i++) {
                int from = bytes.position() + Integer.BYTES;
                int to = from + bytes.getInt();
                bytes.position(to);
                boolean reached = cell != null && Arrays.compareUnsigned(identity, from, to, cell, 0, cell.length) <= 0;
                ends += reached ? 1 : 0;
            }
            // As in {@link IntervalSet#contains}: the set contains the cell if the last end not
            // above the cell begins an interval.
            if (cell != null && (ends & 1) == 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a condition of the conjunction is, or might be, on one of the columns. */
    public static boolean isOnAny(byte[] identity, Set<Integer> columns) {
        ByteBuffer bytes = ByteBuffer.wrap(identity);
        while (bytes.hasRemaining()) {
            int column = bytes.getInt();
            if (!columns.isEmpty() && (column == OPAQUE || columns.contains(column))) {
                return true;
            }
            for (int ends = column == OPAQUE ? 1 : bytes.getInt(); ends > 0; ends--) {
                bytes.position(bytes.position() + Integer.BYTES + bytes.getInt(bytes.position()));
            }
        }
        return false;
    }

    private static void number(int value, ByteArrayOutputStream bytes) {
        bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(value).array());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Conjunction that
                && Arrays.equals(columns, that.columns)
                && Arrays.equals(sets, that.sets)
                && opaque.equals(that.opaque);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(columns) + Arrays.hashCode(sets)) + opaque.hashCode();
    }

    @Override
    public String toString() {
        return "Conjunction[columns=" + Arrays.toString(columns) + ", sets=" + Arrays.toString(sets) + ", opaque="
                + opaque + "]";
    }
}
