package org.keyline.stores.ddl;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PARTITION BY clause of Doris. The table rejects a row that belongs to no partition, so
 * partitions affect its contents.
 *
 * @param method RANGE or LIST
 * @param automatic whether the clause is AUTO PARTITION. The store then creates partitions when
 * rows need them, and rejects no row
 * @param columns the partition columns; empty for an expression
 * @param text the clause as written, from AUTO or PARTITION to the closing parenthesis
 * @param partitions the partitions in their order
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
     * A partition, or a batch of adjacent partitions (FROM … TO … INTERVAL).
     *
     * @param lower inclusive bound of a range; null if the range begins at the end of the previous
     * range
     * @param values the listed values, each with a bound per column; empty for ranges
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
     * A bound's value in one column.
     *
     * @param text the unescaped value; null for NULL and MAXVALUE
     */
    public record Bound(Kind kind, @Nullable String text) {
        public enum Kind {
            VALUE,
            NULL,
            MAXVALUE
        }
    }
}
