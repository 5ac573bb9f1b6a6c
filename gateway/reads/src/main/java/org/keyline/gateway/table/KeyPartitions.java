package org.keyline.gateway.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.Partitions;
import org.keyline.stores.PartitionSpans;

/** Finds the partition of a key by the bytes of one key column. Immutable; thread-safe. */
final class KeyPartitions implements Partitions {
    /** Key bytes of a partition, from {@code from} (included) to {@code to} (excluded). */
    private static final class Span {
        final byte[] from;
        final byte[] to;
        final long partition;

        Span(byte[] from, byte[] to, long partition) {
            this.from = from;
            this.to = to;
            this.partition = partition;
        }
    }

    private final PartitionSpans source;
    private final int position;
    private final Span[] spans;

    private KeyPartitions(PartitionSpans source, int position, List<Span> spans) {
        this.source = source;
        this.position = position;
        this.spans = spans.toArray(Span[]::new);
    }

    /** Returns the partitions by key bytes; null if key bytes do not determine partitions. */
    static @Nullable KeyPartitions of(PartitionSpans source, TableSchema schema, List<KeyColumn> keys) {
        int position = position(source, schema);
        if (position < 0 || !keys.get(position).isWrittenOneWay()) {
            return null;
        }
        boolean text = kind(schema, position) == ColumnType.Kind.VARCHAR;
        List<Span> spans = new ArrayList<>();
        for (PartitionSpans.Span span : source.spans()) {
            boolean single = span.from().equals(span.to());
            byte[] from = cell(keys.get(position), span.from());
            byte[] to = single || span.to() == null ? above(from, single) : cell(keys.get(position), span.to());
            // Key bytes of text may not sort as the store sorts, so no range of text is used.
            if (from != null && to != null && (single || !text)) {
                spans.add(new Span(from, to, span.partition()));
            }
        }
        spans.sort((one, other) -> Arrays.compareUnsigned(one.from, other.from));
        for (int i = 0; i < spans.size(); i++) {
            byte[] end = i + 1 < spans.size() ? spans.get(i + 1).from : null;
            boolean descends = Arrays.compareUnsigned(spans.get(i).from, spans.get(i).to) >= 0;
            if (descends || (end != null && Arrays.compareUnsigned(spans.get(i).to, end) > 0)) {
                return null;
            }
        }
        return spans.isEmpty() ? null : new KeyPartitions(source, position, spans);
    }

    /** Returns the partition column's key position; -1 if it has none or is not comparable. */
    private static int position(PartitionSpans source, TableSchema schema) {
        for (int i = 0; i < schema.keyColumns().size(); i++) {
            int ordinal = schema.keyColumns().get(i);
            if (schema.columns().get(ordinal).name().equalsIgnoreCase(source.column())) {
                return switch (kind(schema, i)) {
                    case TINYINT, SMALLINT, INT, BIGINT, DATE, DATETIME, VARCHAR ->
                        kind(schema, i).name().equals(source.type()) ? i : -1;
                    default -> -1;
                };
            }
        }
        return -1;
    }

    private static ColumnType.Kind kind(TableSchema schema, int position) {
        return schema.columns().get(schema.keyColumns().get(position)).type().kind();
    }

    private static byte @Nullable [] cell(KeyColumn column, String value) {
        byte[] bytes = value.getBytes(UTF_8);
        KeyEncoder cell = new KeyEncoder();
        return column.text(bytes, 0, bytes.length, cell) && cell.fits() ? cell.toBytes() : null;
    }

    /** Returns bytes directly above a cell if {@code alone}; otherwise, bytes above all cells. */
    private static byte @Nullable [] above(byte @Nullable [] cell, boolean alone) {
        if (cell == null || !alone) {
            return new byte[] {KeyEncoder.ABOVE};
        }
        byte[] above = Arrays.copyOf(cell, cell.length + 1);
        above[cell.length] = KeyEncoder.ABOVE;
        return above;
    }

    /** Returns whether this object was built from these partitions of the store. */
    boolean isOf(PartitionSpans answered) {
        return source.equals(answered);
    }

    @Override
    public long of(byte[] key, int from, int to) {
        KeyReader reader = new KeyReader().wrap(key, from, to);
        for (int i = 0; i < position; i++) {
            if (reader.next() == null) {
                return NONE;
            }
            reader.skip();
        }
        KeyReader.Cell kind = reader.next();
        if (kind == null || kind == KeyReader.Cell.NULL) {
            return NONE;
        }
        int begin = reader.position();
        reader.skip();
        Span span = floor(key, begin, reader.position());
        return span != null && Arrays.compareUnsigned(key, begin, reader.position(), span.to, 0, span.to.length) < 0
                ? span.partition
                : NONE;
    }

    /** Returns the last span that begins at or below a cell. */
    private @Nullable Span floor(byte[] key, int from, int to) {
        int low = 0;
        int high = spans.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            byte[] begin = spans[middle].from;
            if (Arrays.compareUnsigned(begin, 0, begin.length, key, from, to) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? null : spans[high];
    }
}
