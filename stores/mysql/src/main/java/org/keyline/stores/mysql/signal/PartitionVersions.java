package org.keyline.stores.mysql.signal;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.PartitionSpans;

/**
 * The versions of a table's partitions. While the versions are equal, the rows are equal.
 * Immutable.
 *
 * @param byId the visible version of each partition, by its id; empty if the table may have changed
 * anywhere
 * @param partitioning the bounds of the partitions; null if the bounds are unknown
 */
record PartitionVersions(Map<Long, Long> byId, @Nullable PartitionSpans partitioning) {
    static final PartitionVersions UNKNOWN = new PartitionVersions(Map.of(), null);

    /** Returns the ids of changed partitions; all ids if the set of partitions differs. */
    List<Long> since(@Nullable PartitionVersions before) {
        Map<Long, Long> old = before == null ? Map.of() : before.byId();
        boolean same = byId.keySet().equals(old.keySet());
        return byId.keySet().stream()
                .filter(id -> !same || !Objects.equals(byId.get(id), old.get(id)))
                .toList();
    }
}
