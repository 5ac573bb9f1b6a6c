package org.keyline.stores;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the rows of a table belong to its partitions: by the values of one column. Rows with a value
 * in no span may be in any partition. Immutable.
 *
 * @param column its name
 * @param type its type as the store writes it, in upper case, without a length
 */
public record PartitionSpans(String column, String type, List<Span> spans) {
    /**
     * Values of the column whose rows are all in one partition, as in rows of the text protocol.
     *
     * @param partition its id
     * @param from the lowest value
     * @param to the value that all others are below; null if there is no such bound; equal to
     *     {@code from} if the span is that value alone
     */
    public record Span(
            long partition, String from, @Nullable String to) {}

    public PartitionSpans {
        spans = List.copyOf(spans);
    }
}
