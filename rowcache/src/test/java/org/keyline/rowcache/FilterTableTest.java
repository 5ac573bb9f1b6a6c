package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Filter lines: an event that concerns one line of their table concerns all of them. */
final class FilterTableTest {
    private static final TableOptions OPTIONS = TableOptions.DEFAULT
            .withTtl(Fixture.TTL, Fixture.TTL.multipliedBy(10))
            .withFilters(TableOptions.DEFAULT
                    .withTtl(Fixture.TTL, Fixture.TTL.multipliedBy(10))
                    .withOrdered(false));

    private final Fixture fixture = new Fixture();
    private final RowCache cache =
            new RowCache(RowCacheOptions.of(2_000, Fixture.SEED, fixture.clock, Runnable::run), 2_000);
    private final LineTable table = cache.table(1, OPTIONS);
    private final LineTable filters = filters(table);

    private static LineTable filters(LineTable table) {
        return Objects.requireNonNull(table.filters(), "no filter lines");
    }

    private static LineProbe named(LineTable filters, long name) {
        return new LineProbe(filters).aim(filters, Fixture.TEXT, Fixture.key(name));
    }

    private boolean answers(long name) {
        return filters.find(named(filters, name), fixture.now()) != null;
    }

    private Load load(LineTable of, long name) {
        of.load(named(of, name), fixture.loader, new Fixture.SessionAnswer());
        return fixture.takeLoad();
    }

    private void loaded(long name) {
        Load load = load(filters, name);
        fixture.feed(load, name, 10, "ten");
        load.succeed();
        assertThat(answers(name)).isTrue();
    }

    /** Returns every event that drops a line of the table. */
    static Stream<Consumer<FilterTableTest>> drops() {
        return Stream.of(
                test -> test.cache.fence().close(test.table, Fixture.key(7)),
                test -> test.cache.fence().close(test.table),
                test -> test.cache.fence().closeAll(),
                test -> {
                    Fence fence = test.cache.fence();
                    fence.close(test.table, Fixture.key(7));
                    fence.open();
                },
                test -> {
                    Fence fence = test.cache.fence();
                    fence.close(test.table, Fixture.key(7));
                    fence.close(test.table);
                    fence.open();
                },
                test -> test.cache.fence().closeToAdd(test.table, Fixture.key(7), (key, from, to) -> true),
                test -> {
                    Fence fence = test.cache.fence();
                    adds(fence, test.table, Fixture.key(7), (key, from, to) -> true);
                    fence.open();
                },
                test -> test.table.flush(Fixture.key(7)),
                test -> test.table.flush(),
                test -> test.cache.flush(),
                test -> {
                    test.table.options(OPTIONS.withEnabled(false));
                    test.table.options(OPTIONS);
                },
                test -> test.cache.retire(test.table),
                test -> test.cache.replace(test.table, 2, OPTIONS));
    }

    @ParameterizedTest
    @MethodSource("drops")
    void line_whateverDropsALineOfTheTable_isDropped(Consumer<FilterTableTest> drop) {
        loaded(1);
        drop.accept(this);
        assertThat(answers(1)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("drops")
    void load_overtakenByAnyDropOfALineOfTheTable_isNotCached(Consumer<FilterTableTest> drop) {
        Load load = load(filters, 1);
        drop.accept(this);
        load.succeed();
        assertThat(answers(1)).isFalse();
    }

    /** Returns a row that is only in the line of a name. */
    private static AddedRow in(long name) {
        byte[] only = Fixture.key(name).toBytes();
        return (key, from, to) -> Arrays.equals(key, from, to, only, 0, only.length);
    }

    /** Closes the fence for a row; the store reports that only this row was written. */
    private static void adds(Fence fence, LineTable table, KeyEncoder key, AddedRow row) {
        fence.closeToAdd(table, key, row);
        fence.wrote(row, true);
    }

    @Test
    void rowAdded_leavesLinesThatItIsNotIn() {
        loaded(1);
        loaded(2);
        Load into = load(filters, 3);
        Load beside = load(filters, 4);
        Fence fence = cache.fence();
        adds(fence, table, Fixture.key(7), in(1));
        assertThat(answers(1)).isFalse();
        assertThat(answers(2)).isTrue();
        Fixture.SessionAnswer outcome = new Fixture.SessionAnswer();
        filters.load(named(filters, 1), fixture.loader, outcome);
        assertThat(outcome.decline).isEqualTo(Decline.FENCED);
        fence.open();
        assertThat(answers(1)).as("it has not the row").isFalse();
        adds(fence, table, Fixture.key(8), in(3));
        fence.open();
        into.succeed();
        assertThat(answers(3))
                .as("the row may have come behind the load's read")
                .isFalse();
        beside.succeed();
        assertThat(answers(4)).isTrue();
        assertThat(answers(2)).isTrue();
        loaded(1);
        loaded(3);
    }

    @Test
    void rowAdded_asOneOfSeveralWrites_dropsAllLines() {
        for (Consumer<Fence> other : List.<Consumer<Fence>>of(
                fence -> fence.close(table, Fixture.key(7)),
                fence -> fence.close(table, Fixture.key(8)),
                fence -> fence.close(table),
                Fence::closeAll)) {
            loaded(2);
            Fence fence = cache.fence();
            adds(fence, table, Fixture.key(7), in(1));
            assertThat(answers(2)).isTrue();
            other.accept(fence);
            assertThat(answers(2)).isFalse();
            Fixture.SessionAnswer outcome = new Fixture.SessionAnswer();
            filters.load(named(filters, 2), fixture.loader, outcome);
            assertThat(outcome.decline).isEqualTo(Decline.FENCED);
            fence.open();
            assertThat(answers(2)).isFalse();
            assertThat(filters.admits()).isTrue();
        }
    }

    @Test
    void rowsAdded_bySeveralWrites_leaveLinesThatNoneIsIn() {
        loaded(1);
        loaded(2);
        loaded(3);
        Fence fence = cache.fence();
        AddedRow both = AddedRow.anyOf(List.of(in(5), in(1)));
        fence.closeToAdd(table, Fixture.key(7), both);
        fence.closeToAdd(table, Fixture.key(8), both);
        fence.wrote(both, true);
        assertThat(answers(1)).isFalse();
        assertThat(answers(2)).isTrue();
        adds(fence, table, Fixture.key(8), in(3));
        assertThat(answers(3)).isFalse();
        Fixture.SessionAnswer outcome = new Fixture.SessionAnswer();
        filters.load(named(filters, 1), fixture.loader, outcome);
        assertThat(outcome.decline).isEqualTo(Decline.FENCED);
        fence.open();
        assertThat(answers(2)).isTrue();
        loaded(1);
        loaded(3);
    }

    @Test
    void rowsAdded_byAWriteThatDoesMore_dropAllLinesAtOnce() {
        loaded(2);
        Fence fence = cache.fence();
        adds(fence, table, Fixture.key(7), in(1));
        AddedRow more = in(3);
        fence.closeToAdd(table, Fixture.key(8), more);
        assertThat(answers(2)).isTrue();
        fence.wrote(more, false);
        assertThat(answers(2)).isFalse();
        fence.open();
        loaded(2);
    }

    @Test
    void rowsAdded_byOneOfSeveralWritesWithoutAReply_dropAllLinesWhenTheFenceOpens() {
        loaded(2);
        Fence fence = cache.fence();
        fence.closeToAdd(table, Fixture.key(7), in(1));
        adds(fence, table, Fixture.key(8), in(1));
        assertThat(answers(2)).isTrue();
        fence.open();
        assertThat(answers(2)).isFalse();
        loaded(2);
    }

    @Test
    void rowsAdded_byManyWrites_dropAllLines() {
        loaded(2);
        Fence fence = cache.fence();
        for (int row = 0; row < 64; row++) {
            adds(fence, table, Fixture.key(7, row), in(1));
        }
        assertThat(answers(2)).isTrue();
        adds(fence, table, Fixture.key(8), in(1));
        assertThat(answers(2)).isFalse();
        fence.open();
        loaded(2);
        loaded(1);
    }

    @Test
    void rowAdded_ifThatIsNotSure_dropsAllLinesWhenTheFenceOpens() {
        loaded(2);
        Load under = load(filters, 3);
        Fence fence = cache.fence();
        fence.closeToAdd(table, Fixture.key(7), in(1));
        assertThat(answers(2)).isTrue();
        fence.open();
        assertThat(answers(2)).isFalse();
        under.succeed();
        assertThat(answers(3)).isFalse();
        loaded(2);
        adds(fence, table, Fixture.key(7), in(1));
        fence.open();
        fence.closeToAdd(table, Fixture.key(8), in(1));
        fence.open();
        assertThat(answers(2)).as("what was sure once is not so again").isFalse();
    }

    @Test
    void line_thatIsAskedForSeldom_isOverAfterManyAddedRows() {
        loaded(1);
        loaded(2);
        for (int row = 0; row < 3_000; row++) {
            Fence fence = cache.fence();
            adds(fence, table, Fixture.key(7, row), in(3));
            fence.open();
            if (row % 100 == 0) {
                assertThat(answers(1)).isTrue();
            }
        }
        assertThat(answers(1)).isTrue();
        assertThat(answers(2)).isFalse();
    }

    @Test
    void rowChanged_leavesLinesThatItWasNotInAndIsNotIn() {
        loaded(1);
        loaded(2);
        loaded(3);
        Load into = load(filters, 4);
        Load beside = load(filters, 5);
        changed(in(1), in(2));
        assertThat(answers(1)).isFalse();
        assertThat(answers(2)).isFalse();
        assertThat(answers(3)).isTrue();
        changed(in(4));
        into.succeed();
        assertThat(answers(4)).as("the load may have read what was before").isFalse();
        beside.succeed();
        assertThat(answers(5)).isTrue();
        loaded(1);
        loaded(4);
    }

    @Test
    void rowChanged_whoseImagesAreNotKnown_dropsAllLines() {
        loaded(1);
        changed();
        assertThat(answers(1)).isFalse();
    }

    private void changed(AddedRow... images) {
        byte[] key = Fixture.key(7).toBytes();
        table.flush(key, 0, key.length, List.of(images));
    }

    @Test
    void reopenAll_afterNothingWasWritten_linesAnswerAgain() {
        loaded(1);
        Fence fence = cache.fence();
        fence.closeAll();
        assertThat(answers(1)).isFalse();
        fence.reopenAll();
        assertThat(answers(1)).isTrue();
    }

    @Test
    void replacement_whileAFenceIsClosed_isClosedUntilItOpens() {
        Fence fence = cache.fence();
        fence.close(table, Fixture.key(7));
        LineTable next = filters(cache.replace(table, 2, OPTIONS));
        assertThat(next.admits()).isFalse();
        fence.open();
        assertThat(next.admits()).isTrue();
    }

    @Test
    void extendFreshness_ofTheTable_appliesToFilterLines() {
        loaded(1);
        fixture.clock.advance(Fixture.TTL.plusMillis(1));
        assertThat(answers(1)).isFalse();
        table.extendFreshness(fixture.now());
        assertThat(answers(1)).isTrue();
    }

    @Test
    void budget_ofFilterLines_isTheirOwn() {
        loaded(1);
        for (long prefix = 0; prefix < 100; prefix++) {
            table.load(
                    new LineProbe(table).aim(table, Fixture.TEXT, Fixture.key(prefix)),
                    fixture.loader,
                    new Fixture.SessionAnswer());
            fixture.serve(fixture.takeLoad(), prefix, Map.of(10L, "ten"));
        }
        cache.cleanUp();
        assertThat(table.stats().snapshot().evictions()).isPositive();
        assertThat(answers(1)).isTrue();
    }

    @Test
    void sweep_ofExpiredFilterLines_removesThem() {
        loaded(1);
        fixture.clock.advance(Duration.ofHours(1));
        assertThat(cache.sweep(100)).isEqualTo(1);
        assertThat(filters.stats().snapshot().lines()).isZero();
    }

    @Test
    void options_thatRemoveExistingFilterLines_areRefused() {
        assertThatThrownBy(() -> table.options(OPTIONS.withFilters(null))).hasMessageContaining("filters");
    }
}
