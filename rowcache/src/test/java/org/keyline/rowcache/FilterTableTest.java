package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Filter lines: whatever concerns a line of their table concerns all of them. */
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
        of.load(named(of, name), fixture.loader, new Fixture.Told());
        return fixture.takeLoad();
    }

    private void loaded(long name) {
        Load load = load(filters, name);
        fixture.feed(load, name, 10, "ten");
        load.succeed();
        assertThat(answers(name)).isTrue();
    }

    /** Whatever drops a line of the table. */
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
    void load_overtakenByWhateverDropsALineOfTheTable_isNotKept(Consumer<FilterTableTest> drop) {
        Load load = load(filters, 1);
        drop.accept(this);
        load.succeed();
        assertThat(answers(1)).isFalse();
    }

    @Test
    void fence_closedOverARow_keepsLoadsFromBeginning() {
        Fence fence = cache.fence();
        fence.close(table, Fixture.key(7));
        Fixture.Told told = new Fixture.Told();
        filters.load(named(filters, 1), fixture.loader, told);
        assertThat(told.decline).isEqualTo(Decline.FENCED);
        fence.open();
        loaded(1);
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
    void vouch_ofTheTable_isForFilterLines() {
        loaded(1);
        fixture.clock.advance(Fixture.TTL.plusMillis(1));
        assertThat(answers(1)).isFalse();
        table.vouch(fixture.now());
        assertThat(answers(1)).isTrue();
    }

    @Test
    void budget_ofFilterLines_isTheirOwn() {
        loaded(1);
        for (long prefix = 0; prefix < 100; prefix++) {
            table.load(
                    new LineProbe(table).aim(table, Fixture.TEXT, Fixture.key(prefix)),
                    fixture.loader,
                    new Fixture.Told());
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
    void options_withoutFilterLinesThatAreThere_areRefused() {
        assertThatThrownBy(() -> table.options(OPTIONS.withFilters(null))).hasMessageContaining("filters");
    }
}
