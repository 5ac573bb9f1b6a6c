package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Rows that were loaded elsewhere complete a load only if no fence was closed and no line dropped
 * over them since then, and they are young enough.
 */
final class AdoptedRowsTest {
    private static final Duration STALENESS = Duration.ofMillis(200);
    private static final Duration SOON = Duration.ofMillis(10);

    private final Fixture fixture = new Fixture();
    /** When the load elsewhere began. */
    private long beganNanos;

    AdoptedRowsTest() {
        fixture.clock.advance(SOON);
        beganNanos = fixture.now();
        fixture.clock.advance(SOON);
    }

    private boolean adopt(Load load) {
        assertThat(fixture.feed(load, 1, 10, "elsewhere")).isTrue();
        return load.succeedAsOf(beganNanos, () -> true);
    }

    private void assertContinues(Fixture.SessionAnswer outcome, Load load) {
        assertThat(adopt(load)).isFalse();
        assertThat(outcome.times).isZero();
        fixture.serve(load, 1, Map.of(10L, "store"));
        assertThat(Fixture.texts(outcome.served())).containsExactly("store");
    }

    @Test
    void rows_thatNothingSpeaksAgainst_areALineAsOldAsTheirLoad() {
        Fixture.SessionAnswer outcome = fixture.read(1);
        assertThat(adopt(fixture.takeLoad())).isTrue();
        assertThat(Fixture.texts(outcome.served())).containsExactly("elsewhere");
        assertThat(fixture.get(1, 10)).isEqualTo("elsewhere");
        assertThat(outcome.served().loadBeganNanos()).isEqualTo(beganNanos);
        fixture.clock.advance(Fixture.TTL.minus(SOON));
        assertThat(fixture.get(1, 10)).as("a ttl after they were loaded").isNotNull();
        fixture.clock.advance(Duration.ofNanos(1));
        assertThat(fixture.get(1, 10)).isNull();
        assertThat(fixture.cache.loads()).isZero();
        assertThat(fixture.table.slots().size()).isZero();
        fixture.checkInvariants();
    }

    @Test
    void rows_thatAreNotAdmitted_areForgotten() {
        Fixture.SessionAnswer outcome = fixture.read(1);
        Load load = fixture.takeLoad();
        fixture.feed(load, 1, 9, "elsewhere");
        assertThat(load.succeedAsOf(beganNanos, () -> false)).isFalse();
        fixture.serve(load, 1, Map.of(10L, "store"));
        assertThat(Fixture.texts(outcome.served())).containsExactly("store");
    }

    @Test
    void rows_fromBeforeADrop_areNotUsed() {
        List<Runnable> drops =
                List.of(() -> fixture.table.flush(Fixture.key(1)), fixture.table::flush, fixture.cache::flush);
        for (Runnable drop : drops) {
            drop.run();
            assertContinues(fixture.read(1), fixture.takeLoad());
        }
        fixture.table.flush(Fixture.key(1));
        fixture.clock.advance(SOON);
        beganNanos = fixture.now();
        fixture.clock.advance(SOON);
        fixture.read(1);
        assertThat(adopt(fixture.takeLoad())).as("loaded after the drop").isTrue();
    }

    @Test
    void rows_fromBeforeATableWasKnown_areNotUsed() {
        LineTable next = fixture.cache.replace(fixture.table, 2, fixture.table.options());
        List<Line> lines = new ArrayList<>();
        next.load(
                new LineProbe(next).aim(next, Fixture.TEXT, Fixture.key(1)),
                load -> {
                    assertThat(adopt(load)).isFalse();
                    load.succeed();
                },
                new Fixture.SessionAnswer() {
                    @Override
                    public void loaded(Line line) {
                        lines.add(line);
                    }
                });
        assertThat(lines.get(0).rows()).isZero();
    }

    @Test
    void rows_olderThanATtl_orThanAReaderAllows_areNotUsed() {
        fixture.clock.advance(Fixture.TTL);
        assertContinues(fixture.read(1), fixture.takeLoad());
        beganNanos = fixture.now() - 2;
        fixture.table.flush(Fixture.key(2));
        Fixture.SessionAnswer patient = fixture.read(3);
        Fixture.SessionAnswer strict = new Fixture.SessionAnswer();
        fixture.table.load(fixture.probe(3).notOlderThan(1), fixture.loader, strict);
        Load load = fixture.takeLoad();
        fixture.feed(load, 3, 10, "elsewhere");
        assertThat(load.succeedAsOf(beganNanos, () -> true)).isFalse();
        load.succeed();
        assertThat(patient.served()).isSameAs(strict.served());
    }

    @Test
    void rows_withoutFreshnessFromOthers_areNotUsedBeyondTheStaleness() {
        Fixture.Clock clock = fixture.clock;
        OtherCaches others = OtherCaches.of(STALENESS, clock.read());
        RowCache cache = new RowCache(RowCacheOptions.of(1 << 20, 1, clock, Runnable::run), 0, others);
        LineTable table = cache.table(1, TableOptions.DEFAULT.withTtl(Duration.ofHours(1)));
        clock.advance(SOON);
        long began = clock.read();
        clock.advance(STALENESS.plusNanos(1));
        List<Boolean> adopted = new ArrayList<>();
        Loader loader = load -> {
            adopted.add(load.succeedAsOf(began, () -> true));
            load.decline();
        };
        LineProbe probe = new LineProbe(table).aim(table, Fixture.TEXT, Fixture.key(1));
        table.load(probe, loader, new Fixture.SessionAnswer());
        others.extendFreshness(clock.read());
        table.load(probe, loader, new Fixture.SessionAnswer());
        assertThat(adopted).containsExactly(false, true);
    }

    @Test
    void rows_ofAnotherPrefix_orTooMany_areNotUsed() {
        Fixture few = new Fixture(TableOptions.DEFAULT.withCeilings(1, 1 << 20));
        few.clock.advance(SOON);
        few.read(1);
        Load load = few.takeLoad();
        few.feed(load, 1, 10, "one");
        few.feed(load, 1, 11, "two");
        assertThat(load.succeedAsOf(few.now(), () -> true)).isFalse();
        few.feed(load, 2, 10, "other");
        assertThat(load.succeedAsOf(few.now(), () -> true)).isFalse();
        few.feed(load, 1, 10, "one");
        assertThat(load.succeedAsOf(few.now(), () -> true)).isTrue();
    }

    @Test
    void rows_noYoungerThanTheCachedLine_areNotUsed() {
        fixture.loaded(1, Map.of(10L, "there"));
        fixture.table.refresh(fixture.probe(1), fixture.loader);
        Load load = fixture.takeLoad();
        assertThat(adopt(load)).isFalse();
        load.decline();
        assertThat(fixture.get(1, 10)).isEqualTo("there");
    }

    @Test
    void end_ofALoad_isReportedWithTheCachedLine() {
        List<@Nullable Line> ends = new ArrayList<>();
        Fixture.SessionAnswer outcome = fixture.read(1);
        Load load = fixture.takeLoad();
        load.whenEnded(ends::add);
        fixture.serve(load, 1, Map.of(10L, "ten"));
        assertThat(ends).containsExactly(outcome.served());
        ends.clear();
        fixture.read(2);
        Load cut = fixture.takeLoad();
        cut.whenEnded(ends::add);
        fixture.table.flush(Fixture.key(2));
        fixture.serve(cut, 2, Map.of());
        assertThat(ends).containsExactly((Line) null);
        fixture.read(3);
        Load failed = fixture.takeLoad();
        failed.whenEnded(ends::add);
        failed.fail(new IllegalStateException("the store is gone"));
        failed.decline();
        assertThat(ends).containsExactly(null, null);
        fixture.read(4);
        Load declined = fixture.takeLoad();
        declined.whenEnded(ends::add);
        declined.decline();
        assertThat(ends).containsExactly(null, null, null);
        fixture.read(5);
        Load adopted = fixture.takeLoad();
        adopted.whenEnded(ends::add);
        assertThat(adopted.succeedAsOf(fixture.now(), () -> true)).isTrue();
        assertThat(ends).hasSize(3);
    }
}
