package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LineTableTest {
    private final Fixture fixture = new Fixture();

    @Test
    void find_afterALoad_answersEveryKeyUnderThePrefix() {
        assertThat(fixture.get(1, 10)).isNull();
        fixture.loaded(1, Map.of(10L, "ten", 11L, "eleven"));
        assertThat(fixture.get(1, 10)).isEqualTo("ten");
        assertThat(fixture.get(1, 11)).isEqualTo("eleven");
        assertThat(fixture.get(1, 12)).isEqualTo("absent");
        assertThat(fixture.get(2, 10)).isNull();
        fixture.checkInvariants();
    }

    @Test
    void tables_withTheSameKeys_areSeparate() {
        fixture.loaded(1, Map.of(10L, "ten"));
        LineTable other = fixture.cache.table(2, TableOptions.DEFAULT);
        assertThat(other.find(new LineProbe(other).aim(other, 0, Fixture.key(1)), fixture.now()))
                .isNull();
    }

    @Test
    void find_olderThanTtl_isAMiss() {
        fixture.loaded(1, Map.of(10L, "ten"));
        fixture.clock.advance(Fixture.TTL);
        assertThat(fixture.get(1, 10)).isEqualTo("ten");
        fixture.clock.advance(Duration.ofNanos(1));
        assertThat(fixture.get(1, 10)).isNull();
        fixture.loaded(1, Map.of(10L, "new ten"));
        assertThat(fixture.get(1, 10)).isEqualTo("new ten");
        assertThat(fixture.table.stats().snapshot().expirations()).isEqualTo(1);
        assertThat(fixture.table.stats().snapshot().lines()).isEqualTo(1);
        fixture.checkInvariants();
    }

    @Test
    void extendedFreshness_anOlderLineAnswers_untilATtlAfterThatMoment() {
        fixture.table.options(fixture.table.options().withTtl(Fixture.TTL, Fixture.TTL.multipliedBy(10)));
        fixture.loaded(1, Map.of(10L, "ten"));
        fixture.clock.advance(Fixture.TTL.plusNanos(1));
        assertThat(fixture.get(1, 10)).isNull();
        long extended = fixture.now();
        fixture.table.extendFreshness(extended);
        assertThat(fixture.get(1, 10)).isEqualTo("ten");
        fixture.clock.advance(Fixture.TTL);
        assertThat(fixture.get(1, 10)).isEqualTo("ten");
        fixture.clock.advance(Duration.ofNanos(1));
        assertThat(fixture.get(1, 10)).as("freshness not extended for a ttl").isNull();
        fixture.table.extendFreshness(fixture.now());
        fixture.table.extendFreshness(extended);
        assertThat(fixture.get(1, 10)).as("an earlier moment changes nothing").isEqualTo("ten");
    }

    @Test
    void extendedFreshness_aLineOlderThanTheExtendedTtl_isAMiss() {
        fixture.table.options(fixture.table.options().withTtl(Fixture.TTL, Fixture.TTL.multipliedBy(3)));
        fixture.loaded(1, Map.of(10L, "ten"));
        fixture.clock.advance(Fixture.TTL.multipliedBy(3));
        fixture.table.extendFreshness(fixture.now());
        assertThat(fixture.get(1, 10)).isEqualTo("ten");
        fixture.clock.advance(Duration.ofNanos(1));
        fixture.table.extendFreshness(fixture.now());
        assertThat(fixture.get(1, 10)).isNull();
    }

    @Test
    void extendedTtl_belowTheTtl_isRefused() {
        assertThatThrownBy(() -> TableOptions.DEFAULT.withTtl(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("extendedTtl: PT1S (expected: PT2S..1 day)");
    }

    @Test
    void load_whileOneIsUnderWay_joinsIt() {
        Fixture.SessionAnswer first = fixture.read(1);
        Fixture.SessionAnswer second = fixture.read(1, 10);
        assertThat(fixture.started).hasSize(1);
        assertThat(fixture.cache.loads()).isEqualTo(1);
        fixture.serve(fixture.takeLoad(), 1, Map.of(10L, "ten"));
        assertThat(first.line).isNotNull().isSameAs(second.line);
        assertThat(fixture.cache.loads()).isZero();
        assertThat(fixture.table.slots().size()).isZero();
        TableStats.Snapshot stats = fixture.table.stats().snapshot();
        assertThat(stats.loads()).isEqualTo(1);
        assertThat(stats.waits()).isEqualTo(1);
        assertThat(stats.rowsLoaded()).isEqualTo(1);
    }

    @Test
    void refresh_replacesTheLineThatAnswersMeanwhile() {
        fixture.loaded(1, Map.of(10L, "ten"));
        fixture.clock.advance(Fixture.TTL.minusMillis(1));
        fixture.table.refresh(fixture.probe(1, 10), fixture.loader);
        fixture.table.refresh(fixture.probe(1, 10), fixture.loader);
        assertThat(fixture.started).as("loads at a time").hasSize(1);
        assertThat(fixture.get(1, 10)).isEqualTo("ten");
        fixture.serve(fixture.takeLoad(), 1, Map.of(10L, "new ten"));
        assertThat(fixture.get(1, 10)).isEqualTo("new ten");
        fixture.clock.advance(Fixture.TTL);
        assertThat(fixture.get(1, 10)).isEqualTo("new ten");
        assertThat(fixture.table.stats().snapshot().refreshes()).isEqualTo(1);
        fixture.checkInvariants();
    }

    /** Loads without waiting reads take at most half of the maximum number. */
    @Test
    void refresh_leavesLoadsToReaders() {
        int most = Fixture.options().maxLoads();
        for (int prefix = 0; prefix < most; prefix++) {
            fixture.table.refresh(fixture.probe(prefix), fixture.loader);
        }
        assertThat(fixture.started).hasSize(most / 2);
        assertThat(fixture.cache.loads()).isEqualTo(most / 2);
        assertThat(fixture.read(most).times).as("notifications").isZero();
        assertThat(fixture.started).hasSize(most / 2 + 1);
    }

    @Test
    void isAgeing_countsTheTimeThatIsInForce() {
        Fixture extended = new Fixture(TableOptions.DEFAULT.withTtl(Fixture.TTL, Fixture.TTL.multipliedBy(10)));
        Line line = extended.loaded(1, Map.of(10L, "ten"));
        extended.clock.advance(Duration.ofMillis(800));
        assertThat(extended.table.isAgeing(line, extended.now())).isFalse();
        extended.clock.advance(Duration.ofMillis(1));
        assertThat(extended.table.isAgeing(line, extended.now())).isTrue();
        extended.table.extendFreshness(extended.now());
        assertThat(extended.table.isAgeing(line, extended.now())).isFalse();
        extended.clock.advance(Duration.ofMillis(7_200));
        extended.table.extendFreshness(extended.now());
        assertThat(extended.table.isAgeing(line, extended.now())).isTrue();
    }

    /** If the writes of other caches are not reported, a line answers for their staleness only. */
    @Test
    void isAgeing_countsTheStalenessOfOthersUnlessTheyExtendFreshness() {
        Fixture.Clock clock = new Fixture.Clock();
        OtherCaches others = OtherCaches.of(Duration.ofMillis(200), clock.read());
        RowCache cache = new RowCache(RowCacheOptions.of(1 << 20, 1, clock, Runnable::run), 0, others);
        LineTable table = cache.table(1, TableOptions.DEFAULT.withTtl(Duration.ofHours(1)));
        List<Line> outcome = new ArrayList<>();
        table.load(
                new LineProbe(table).aim(table, Fixture.TEXT, Fixture.key(1, 10)),
                Load::succeed,
                new Fixture.SessionAnswer() {
                    @Override
                    public void loaded(Line line) {
                        outcome.add(line);
                    }
                });
        Line line = outcome.get(0);
        clock.advance(Duration.ofMillis(160));
        assertThat(table.isAgeing(line, clock.read())).isFalse();
        clock.advance(Duration.ofMillis(1));
        assertThat(table.isAgeing(line, clock.read())).isTrue();
        others.extendFreshness(clock.read());
        assertThat(table.isAgeing(line, clock.read())).isFalse();
        clock.advance(Duration.ofMillis(161));
        assertThat(table.isAgeing(line, clock.read())).isTrue();
    }

    @Test
    void maxAge_countsFromTheLoadEvenWithExtendedFreshness() {
        Fixture extended = new Fixture(TableOptions.DEFAULT.withTtl(Fixture.TTL, Fixture.TTL.multipliedBy(10)));
        extended.loaded(1, Map.of(10L, "ten"));
        extended.clock.advance(Duration.ofSeconds(5));
        extended.table.extendFreshness(extended.now());
        LineProbe probe = extended.probe(1, 10);
        assertThat(extended.table.find(probe, extended.now())).isNotNull();
        assertThat(extended.table.find(probe.notOlderThan(Duration.ofSeconds(2).toNanos()), extended.now()))
                .isNull();
    }

    @Test
    void refresh_thatFails_leavesTheLineAndIsTriedAgain() {
        fixture.loaded(1, Map.of(10L, "ten"));
        fixture.table.refresh(fixture.probe(1), fixture.loader);
        fixture.takeLoad().fail(new IllegalStateException("refused"));
        assertThat(fixture.get(1, 10)).isEqualTo("ten");
        fixture.table.refresh(fixture.probe(1), fixture.loader);
        assertThat(fixture.started).hasSize(1);
    }

    @Test
    void refresh_isJoinedByReadsThatComeTooLateForTheLine() {
        fixture.loaded(1, Map.of(10L, "ten"));
        fixture.clock.advance(Fixture.TTL);
        fixture.table.refresh(fixture.probe(1), fixture.loader);
        fixture.clock.advance(Duration.ofNanos(1));
        Fixture.SessionAnswer outcome = fixture.read(1, 10);
        assertThat(fixture.started).hasSize(1);
        fixture.serve(fixture.takeLoad(), 1, Map.of(10L, "new ten"));
        outcome.served();
    }

    @Test
    void find_withALowerAgeThanTtl_isAMissUntilLoadedAnew() {
        fixture.loaded(1, Map.of(10L, "ten"));
        fixture.clock.advance(Duration.ofMillis(10));
        LineProbe young = fixture.probe(1, 10).notOlderThan(10 * Fixture.MILLISECOND);
        assertThat(fixture.table.find(young, fixture.now())).isNotNull();
        fixture.clock.advance(Duration.ofNanos(1));
        assertThat(fixture.table.find(young, fixture.now())).isNull();
        assertThat(fixture.get(1, 10)).isEqualTo("ten");
        Fixture.SessionAnswer outcome = new Fixture.SessionAnswer();
        fixture.table.load(young, fixture.loader, outcome);
        fixture.serve(fixture.takeLoad(), 1, Map.of(10L, "new ten"));
        outcome.served();
        assertThat(fixture.get(1, 10)).isEqualTo("new ten");
    }

    @Test
    void load_olderThanAReadAllows_isNotJoined() {
        fixture.read(1);
        fixture.clock.advance(Duration.ofMillis(11));
        Fixture.SessionAnswer outcome = new Fixture.SessionAnswer();
        fixture.table.load(fixture.probe(1, 10).notOlderThan(10 * Fixture.MILLISECOND), fixture.loader, outcome);
        assertThat(outcome.decline).isEqualTo(Decline.LOAD_TOO_OLD);
        fixture.takeLoad();
    }

    @Test
    void load_thatFails_notifiesAllReadsAndCachesNothing() {
        Fixture.SessionAnswer first = fixture.read(1);
        Fixture.SessionAnswer second = fixture.read(1, 10);
        RuntimeException cause = new RuntimeException("store is gone");
        Load load = fixture.takeLoad();
        load.fail(cause);
        load.succeed();
        load.fail(new RuntimeException("again"));
        assertThat(first.cause).isSameAs(cause);
        assertThat(second.cause).isSameAs(cause);
        assertThat(first.times).isEqualTo(1);
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.cache.loads()).isZero();
        assertThat(fixture.table.stats().snapshot().loadFailures()).isEqualTo(1);
        fixture.loaded(1, Map.of());
    }

    @Test
    void loader_thatThrows_failsTheLoad() {
        RuntimeException cause = new RuntimeException("no connection");
        Fixture.SessionAnswer outcome = new Fixture.SessionAnswer();
        fixture.table.load(
                fixture.probe(1),
                load -> {
                    throw cause;
                },
                outcome);
        assertThat(outcome.cause).isSameAs(cause);
        assertThat(fixture.cache.loads()).isZero();
    }

    @Test
    void listener_thatThrows_doesNotPreventTheOthers() {
        LoadListener throwing = new LoadListener() {
            @Override
            public void loaded(Line line) {
                throw new IllegalStateException("bug");
            }

            @Override
            public void failed(Throwable cause) {}

            @Override
            public void declined(Decline reason) {}
        };
        fixture.table.load(fixture.probe(1), fixture.loader, throwing);
        Fixture.SessionAnswer outcome = fixture.read(1);
        Load load = fixture.takeLoad();
        assertThatThrownBy(load::succeed).hasMessage("bug");
        assertThat(outcome.line).isNotNull();
        assertThat(fixture.find(1)).isNotNull();
    }

    @Test
    void load_ended_wantsNoMoreRows() {
        fixture.read(1);
        Load load = fixture.takeLoad();
        assertThat(fixture.feed(load, 1, 1, "one")).isTrue();
        load.fail(new RuntimeException("timeout"));
        assertThat(fixture.feed(load, 1, 2, "two")).isFalse();
    }

    @Test
    void load_withRowsThatAreNotUnderThePrefix_isDeclined() {
        Fixture.SessionAnswer outcome = fixture.read(1);
        Load load = fixture.takeLoad();
        assertThat(fixture.feed(load, 2, 1, "stray")).isFalse();
        load.succeed();
        assertThat(outcome.decline).isEqualTo(Decline.UNCACHEABLE);
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.read(1).decline).as("not tried again at once").isEqualTo(Decline.UNCACHEABLE);
        fixture.clock.advance(Duration.ofMinutes(2));
        assertThat(fixture.read(1).decline).isNull();
    }

    @Test
    void load_withTwoRowsOfOneKey_isDeclined() {
        Fixture.SessionAnswer outcome = fixture.read(1);
        Load load = fixture.takeLoad();
        fixture.feed(load, 1, 1, "one");
        fixture.feed(load, 1, 1, "another one");
        load.succeed();
        assertThat(outcome.decline).isEqualTo(Decline.UNCACHEABLE);
        assertThat(fixture.find(1)).isNull();
    }

    @Test
    void load_declined_sendsAllToTheStoreAndIsTriedAgain() {
        Fixture.SessionAnswer outcome = fixture.read(1);
        fixture.takeLoad().decline();
        assertThat(outcome.decline).isEqualTo(Decline.TOO_MANY_LOADS);
        fixture.loaded(1, Map.of());
    }

    @Test
    void flush_ofAKey_dropsItsLineAndWhatIsBeingLoaded() {
        fixture.loaded(1, Map.of(10L, "ten"));
        fixture.loaded(2, Map.of());
        fixture.read(3);
        fixture.table.flush(Fixture.key(1, 10));
        fixture.table.flush(Fixture.key(3));
        fixture.serve(fixture.takeLoad(), 3, Map.of());
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.find(2)).isNotNull();
        assertThat(fixture.find(3)).isNull();
        fixture.checkInvariants();
    }

    @Test
    void flush_ofATableOrAll_dropsAllLines() {
        fixture.loaded(1, Map.of());
        fixture.table.flush();
        assertThat(fixture.find(1)).isNull();
        fixture.loaded(1, Map.of());
        fixture.cache.flush();
        assertThat(fixture.find(1)).isNull();
        fixture.loaded(1, Map.of());
        fixture.checkInvariants();
    }

    @Test
    void table_switchedOff_answersNothing() {
        fixture.loaded(1, Map.of());
        TableOptions options = fixture.table.options();
        fixture.table.options(options.withEnabled(false));
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.read(1).decline).isEqualTo(Decline.DISABLED);
        fixture.table.options(options);
        assertThat(fixture.find(1)).as("a line from before").isNull();
        fixture.loaded(1, Map.of());
        assertThatThrownBy(() -> fixture.table.options(options.withPrefixCells(2)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void table_retired_answersNothingAndItsSuccessorStartsEmpty() {
        fixture.loaded(1, Map.of());
        fixture.cache.retire(fixture.table);
        assertThat(fixture.find(1)).isNull();
        assertThat(fixture.read(1).decline).isEqualTo(Decline.RETIRED);
        LineTable successor = fixture.cache.table(1, TableOptions.DEFAULT);
        assertThat(successor).isNotSameAs(fixture.table);
        assertThat(successor.find(new LineProbe(successor).aim(successor, 0, Fixture.key(1)), fixture.now()))
                .isNull();
    }

    @Test
    void probe_withTooFewCells_isRefused() {
        LineTable table = fixture.cache.table(7, TableOptions.DEFAULT.withPrefixCells(2));
        assertThatThrownBy(() -> new LineProbe(table).aim(table, 0, Fixture.key(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: >= 2");
    }

    @Test
    void options_outOfBounds_areRefused() {
        TableOptions options = TableOptions.DEFAULT;
        assertThatThrownBy(() -> options.withTtl(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withCeilings(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withCeilings(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withMaxWaiters(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withPrefixCells(65)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RowCacheOptions.of(0, 0, () -> 0, Runnable::run))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
