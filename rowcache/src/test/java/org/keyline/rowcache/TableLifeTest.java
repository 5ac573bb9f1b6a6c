package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The effects of a replaced table on its replacement, and how long its lines live. */
final class TableLifeTest {
    private static final Duration MOMENT = Duration.ofNanos(1);

    private final Fixture fixture = new Fixture();
    private final LineTable table = fixture.table;

    private static LineProbe probe(LineTable table) {
        return new LineProbe(table).aim(table, Fixture.TEXT, Fixture.key(1));
    }

    static Stream<Consumer<LineTable>> flushes() {
        return Stream.of(
                LineTable::flush,
                old -> old.flush(Fixture.key(1)),
                old -> old.flush(Fixture.key(1, 10)),
                old -> old.flush(new KeyEncoder()),
                old -> old.flush(Fixture.key(1).buffer(), 0, Fixture.key(1).length()));
    }

    /** A session may still have the table that was replaced. */
    @ParameterizedTest
    @MethodSource("flushes")
    void flush_ofATableThatWasReplaced_flushesItsSuccessor(Consumer<LineTable> flush) {
        LineTable next = fixture.cache.replace(table, 2, table.options());
        next.load(probe(next), fixture.loader, new Fixture.SessionAnswer());
        fixture.serve(fixture.takeLoad(), 1, Map.of(10L, "ten"));
        assertThat(next.find(probe(next), fixture.now())).isNotNull();
        flush.accept(table);
        assertThat(next.find(probe(next), fixture.now())).isNull();
    }

    @Test
    void livesNanos_withExtendedFreshness_isTheExtendedTtlUntilATtlAfterThatMoment() {
        table.options(table.options().withTtl(Fixture.TTL, Fixture.TTL.multipliedBy(10)));
        assertThat(table.livesNanos(fixture.now())).isEqualTo(Fixture.TTL.toNanos());
        table.extendFreshness(fixture.now());
        fixture.clock.advance(Fixture.TTL);
        assertThat(table.livesNanos(fixture.now()))
                .isEqualTo(Fixture.TTL.multipliedBy(10).toNanos());
        fixture.clock.advance(MOMENT);
        assertThat(table.livesNanos(fixture.now())).isEqualTo(Fixture.TTL.toNanos());
    }

    @Test
    void isPastHalf_isOfTheTimeThatIsInForce() {
        long began = fixture.now();
        fixture.clock.advance(Fixture.TTL.dividedBy(2));
        assertThat(table.isPastHalf(began)).isFalse();
        fixture.clock.advance(MOMENT);
        assertThat(table.isPastHalf(began)).isTrue();

        table.options(table.options().withTtl(Fixture.TTL, Fixture.TTL.multipliedBy(10)));
        assertThat(table.isPastHalf(began)).as("no extended freshness").isTrue();
        table.extendFreshness(fixture.now());
        assertThat(table.isPastHalf(began)).isFalse();
        fixture.clock.advance(Fixture.TTL.multipliedBy(5));
        table.extendFreshness(fixture.now());
        assertThat(table.isPastHalf(began)).isTrue();
    }

    @Test
    void options_withFilterLinesOrWithout_areOfAnotherTable() {
        TableOptions filters = TableOptions.DEFAULT.withPrefixCells(1).withOrdered(false);
        assertThatThrownBy(() -> table.options(table.options().withFilters(filters)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("filters: ");
        RowCache cache = new RowCache(RowCacheOptions.of(2_000, Fixture.SEED, fixture.clock, Runnable::run), 2_000);
        LineTable filtered = cache.table(1, TableOptions.DEFAULT.withFilters(filters));
        assertThatThrownBy(() -> filtered.options(TableOptions.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("filters: null");
        filtered.options(TableOptions.DEFAULT.withTtl(Duration.ofSeconds(2)).withFilters(filters));
        assertThat(filtered.options().ttl()).isEqualTo(Duration.ofSeconds(2));
    }
}
