package org.keyline.rowcache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class FenceTest {
    private final Fixture fixture = new Fixture();
    private final Fence fence = fixture.cache.fence();

    @Test
    void close_ofAKey_dropsItsLineAndOnlyThat() {
        fixture.loaded(1, Map.of());
        fixture.loaded(2, Map.of());
        fence.close(fixture.table, Fixture.key(1, 77));
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.find(2)).isNotNull();
        assertThat(fixture.read(1, 5).decline).isEqualTo(Decline.FENCED);
        assertThat(fixture.started).isEmpty();
        fence.open();
        assertThat(fixture.find(1)).isNull();
        fixture.loaded(1, Map.of());
        assertThat(fixture.find(1)).isNotNull();
        assertThat(fixture.table.slots().size()).isZero();
        assertThat(fixture.cache.closedPrefixes()).isZero();
        fixture.checkInvariants();
    }

    /**
     * A read of several rows may lack the row that is being added, and must not wait for a load
     * that lacks it.
     */
    @Test
    void closeForNewRow_ofAnUnknownKey_closesWhatMayGrow_untilTheKeyIsKnown() {
        fixture.loaded(1, Map.of(10L, "ten"));
        fixture.loaded(2, Map.of());
        Line line = requireNonNull(fixture.find(1));
        assertThat(fence.closeForNewRow(fixture.table, new KeyEncoder(), null)).isTrue();
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.table.stillCurrent(line)).isFalse();
        assertThat(fixture.read(3).decline).isEqualTo(Decline.FENCED);
        assertThat(fixture.started).isEmpty();
        fence.close(fixture.table, Fixture.key(2));
        fence.added(fixture.table);
        fence.open();
        assertThat(fixture.find(1)).isSameAs(line);
        assertThat(fixture.table.stillCurrent(line)).isTrue();
        assertThat(fixture.find(2)).isNull();
        fixture.checkInvariants();
    }

    @Test
    void added_withoutAnyRow_reportsNothingToOtherCaches() {
        List<String> reported = new ArrayList<>();
        fixture.cache.others().listener(new OtherCaches.Listener() {
            @Override
            public void rows(LineTable table, List<byte[]> prefixes) {
                reported.add(prefixes.size() + " prefixes");
            }

            @Override
            public void table(LineTable table) {
                reported.add("table");
            }

            @Override
            public void everything() {
                reported.add("everything");
            }

            @Override
            public void elsewhere(Object name) {
                reported.add(name.toString());
            }

            @Override
            public boolean waitsForCommit(LineTable table) {
                return false;
            }
        });
        assertThat(fence.closeForNewRow(fixture.table, new KeyEncoder(), null)).isTrue();
        fence.added(fixture.table);
        fence.open();
        assertThat(reported).isEmpty();
        assertThat(fence.closeForNewRow(fixture.table, new KeyEncoder(), null)).isTrue();
        fence.open();
        assertThat(reported).containsExactly("table");
    }

    /** A write that the store could not even parse drops no line. */
    @Test
    void reopenAll_afterNothingWasWritten_linesAnswerAgain() {
        fixture.loaded(1, Map.of());
        Line before = fixture.find(1);
        Fixture.SessionAnswer loading = fixture.read(2);
        assertThat(fence.closeAll()).isTrue();
        assertThat(fence.closeAll()).isFalse();
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.read(1, 5).decline).isEqualTo(Decline.FENCED);
        fence.reopenAll();
        assertThat(fence.isOpen()).isTrue();
        assertThat(fixture.find(1)).isSameAs(before);
        fixture.serve(fixture.takeLoad(), 2, Map.of(10L, "ten"));
        assertThat(fixture.table.stillCurrent(loading.served())).isTrue();
        assertThat(fixture.get(2, 10)).isEqualTo("ten");
        fixture.checkInvariants();
    }

    @Test
    void reopenAll_inATransaction_leavesClosedWhatItHasWritten() {
        fixture.loaded(1, Map.of());
        fixture.loaded(2, Map.of());
        fence.close(fixture.table, Fixture.key(1, 1));
        assertThat(fence.closeAll()).isTrue();
        fence.reopenAll();
        assertThat(fence.isOpen()).isFalse();
        assertThat(fixture.read(1, 1).decline).isEqualTo(Decline.FENCED);
        assertThat(fixture.find(2)).isNotNull();
        fence.open();
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.cache.closedPrefixes()).isZero();
        fixture.checkInvariants();
    }

    @Test
    void open_twice_opensOnce() {
        Fence other = fixture.cache.fence();
        other.close(fixture.table, Fixture.key(1));
        fence.close(fixture.table, Fixture.key(1));
        fence.close(fixture.table, Fixture.key(1));
        fence.open();
        fence.open();
        assertThat(fence.isOpen()).isTrue();
        assertThat(fixture.read(1).decline).isEqualTo(Decline.FENCED);
        other.open();
        assertThat(fixture.read(1).decline).isNull();
    }

    @Test
    void closeAll_thenRetire_thenOpen_leavesTheRestOpen() {
        fence.close(fixture.table);
        fence.closeAll();
        assertThat(fixture.cache.retire(fixture.table)).as("a write to it").isFalse();
        fence.open();
        fence.closeAll();
        assertThat(fixture.cache.retire(fixture.table)).isTrue();
        fence.open();
        assertThat(fixture.read(1).decline).isEqualTo(Decline.RETIRED);
        LineTable successor = fixture.cache.table(1, TableOptions.DEFAULT);
        successor.load(
                new LineProbe(successor).aim(successor, 0, Fixture.key(1)),
                fixture.loader,
                new Fixture.SessionAnswer());
        assertThat(fixture.started).hasSize(1);
    }

    @Test
    void retire_duringAWrite_isRefused() {
        fixture.loaded(1, Map.of());
        fence.close(fixture.table, Fixture.key(7));
        assertThat(fixture.cache.retire(fixture.table)).isFalse();
        assertThat(fixture.find(1)).as("dropped all the same").isNull();
        assertThat(fixture.cache.tables()).containsExactly(fixture.table);
        fence.open();
        assertThat(fixture.cache.retire(fixture.table)).isTrue();
        assertThat(fixture.cache.tables()).isEmpty();
        assertThat(fixture.cache.retire(fixture.table)).as("again").isTrue();
    }

    @Test
    void fence_overATableThatIsRetired_closesThoseToCome() {
        fixture.cache.retire(fixture.table);
        fence.close(fixture.table, Fixture.key(1));
        LineTable young = fixture.cache.table(1, TableOptions.DEFAULT);
        assertThat(decline(young)).isEqualTo(Decline.FENCED);
        fence.open();
        assertThat(fence.isOpen()).isTrue();
        assertThat(decline(young)).isNull();
        assertThat(fixture.cache.closedPrefixes()).isZero();
    }

    @Test
    void fence_overMorePrefixesThanMayBe_closesTheTable() {
        RowCacheOptions options = Fixture.options();
        Fixture small = new Fixture(
                new RowCacheOptions(options.maxBytes(), 10, 10, 10, 2, 3, 0, options.ticker(), options.executor()),
                TableOptions.DEFAULT);
        Fence first = small.cache.fence();
        first.close(small.table, Fixture.key(1));
        first.close(small.table, Fixture.key(2));
        assertThat(small.read(9).decline).isNull();
        first.close(small.table, Fixture.key(3));
        assertThat(small.read(9).decline).as("bound per fence").isEqualTo(Decline.FENCED);
        assertThat(small.cache.closedPrefixes()).isZero();
        first.open();

        Fence second = small.cache.fence();
        first.close(small.table, Fixture.key(1));
        first.close(small.table, Fixture.key(2));
        second.close(small.table, Fixture.key(1));
        assertThat(small.read(8).decline).isNull();
        second.close(small.table, Fixture.key(2));
        assertThat(small.read(7).decline).as("bound of all").isEqualTo(Decline.FENCED);
        second.open();
        first.open();
        assertThat(small.cache.closedPrefixes()).isZero();
        small.started.forEach(Load::decline);
        assertThat(small.table.slots().size()).isZero();
    }

    private @Nullable Decline decline(LineTable table) {
        Fixture.SessionAnswer outcome = new Fixture.SessionAnswer();
        table.load(new LineProbe(table).aim(table, 0, Fixture.key(1, 1)), fixture.loader, outcome);
        return outcome.decline;
    }
}
