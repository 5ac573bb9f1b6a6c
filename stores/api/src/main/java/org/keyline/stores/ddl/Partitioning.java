package org.keyline.stores.ddl;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * PARTITION BY of Doris. The table rejects a row that belongs to no partition, so partitions affect
 * its contents.
 *
 * @param method RANGE or LIST
 * @param automatic AUTO PARTITION: the store creates partitions as rows need them, so no row is
 *     rejected
 * @param columns names; empty for an expression
 * @param text the clause as written, from AUTO or PARTITION to the closing parenthesis
 * @param partitions in order
 */
public record Partitioning(
        Method method, boolean automatic, List<String> columns, String text, List<Partition> partitions) {

    public Partitioning {
        columns = List.copyOf(columns);
        partitions = List.copyOf(partitions);
    }

    public enum Method {
        RANGE,
        LIST
    }

    /**
     * One partition, or one batch of adjacent partitions (FROM … TO … INTERVAL).
     *
     * @param lower inclusive bound of a range; null if the range begins at the end of the previous
     * range
     * @param values rows of a list; empty for ranges
     */
    public record Partition(
            String name,
            @Nullable List<Bound> lower,
            @Nullable List<Bound> upper,
            List<List<Bound>> values) {
        public Partition {
            values = values.stream().map(List::copyOf).toList();
        }
    }

    /**
     * One value of a bound.
     *
     * @param text unescaped value; null for NULL and MAXVALUE
     */
    public record Bound(Kind kind, @Nullable String text) {
        public enum Kind {
            VALUE,
            NULL,
            MAXVALUE
        }
    }
}
