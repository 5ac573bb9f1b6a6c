package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lines of partitions that change separately; the first cell of a key is the partition. */
final class PartitionsTest {
    private static final Partitions BY_FIRST_CELL = (key, from, to) -> {
        KeyReader reader = new KeyReader().wrap(key, from, to);
        return reader.next() == KeyReader.Cell.INT64 ? reader.int64() : Partitions.NONE;
    };

    private final Fixture fixture = new Fixture();
    private final LineTable table = fixture.table;

    @BeforeEach
    void partitions() {
        table.partitions(BY_FIRST_CELL);
    }

    private Load begin(int key) {
        table.load(probe(key), fixture.loader, new Fixture.SessionAnswer());
        return fixture.started.remove();
    }

    private LineProbe probe(int key) {
        return new LineProbe(table).aim(table, Fixture.TEXT, Fixture.key(key));
    }

    private boolean finds(int key) {
        return table.find(probe(key), fixture.now()) != null;
    }

    @Test
    void changedPartition_losesItsLines_othersStay() {
        begin(1).succeed();
        begin(2).succeed();
        table.flushPartitions(List.of(1L));
        assertThat(finds(1)).isFalse();
        assertThat(finds(2)).isTrue();
        begin(1).succeed();
        assertThat(finds(1)).isTrue();
    }

    @Test
    void partitionThatNeverHadALine_rejectsRowsLoadedElsewhereBeforeItChanged() {
        fixture.clock.advance(Fixture.TTL.dividedBy(4));
        long loadedElsewhere = fixture.now();
        fixture.clock.advance(Fixture.TTL.dividedBy(4));
        table.flushPartitions(List.of(1L));
        fixture.clock.advance(Fixture.TTL.dividedBy(4));
        for (int key = 1; key <= 2; key++) {
            Load load = begin(key);
            assertThat(load.succeedAsOf(loadedElsewhere, () -> true))
                    .as("key %d", key)
                    .isEqualTo(key == 2);
        }
    }

    @Test
    void change_underAWriteToTheTable_isNotForgotten_whenTheWriteDidNotHappen() {
        begin(1).succeed();
        Fence fence = fixture.cache.fence();
        fence.closeAll();
        table.flushPartitions(List.of(1L));
        fence.reopenAll();
        assertThat(finds(1)).isFalse();
    }

    @Test
    void otherPartitions_dropEverything() {
        begin(1).succeed();
        Load before = begin(2);
        table.partitions((key, from, to) -> 1);
        before.succeed();
        assertThat(finds(1)).isFalse();
        assertThat(finds(2)).isFalse();
        begin(2).succeed();
        table.flushPartitions(List.of(1L));
        assertThat(finds(2)).isFalse();
    }

    @Test
    void linesOfUnknownPartition_endWithEachChange() {
        table.partitions((key, from, to) -> Partitions.NONE);
        begin(1).succeed();
        assertThat(finds(1)).isTrue();
        table.flushPartitions(List.of(7L));
        assertThat(finds(1)).isFalse();
    }
}
