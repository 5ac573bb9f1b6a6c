package org.keyline.stores;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a table as sets of values of one column. A row whose value is in no span can be
 * in any partition. Immutable.
 *
 * @param type the type of the column as the store writes it, in upper case, without a length
 */
public record PartitionSpans(String column, String type, List<Span> spans) {
    /**
     * A range of the column's values whose rows are all in one partition. Values are as in rows of
     * the text protocol.
     *
     * @param from the lowest value
     * @param to the exclusive upper bound; null if the range is unbounded; equal to {@code from} if
     * the span is a single value
     */
    public record Span(
            long partition, String from, @Nullable String to) {}

    public PartitionSpans {
        spans = List.copyOf(spans);
    }
}
