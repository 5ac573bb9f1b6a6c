package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Defects that other products had in this area. */
final class KnownDefectsTest {
    private final Fixture fixture = new Fixture();

    @Test
    void equalHashes_areNoIdentity() {
        LineTable table = fixture.table;
        Line line = fixture.loaded(1, Map.of(10L, "ten"));
        byte[] other = line.bytes().clone();
        other[line.prefixTo() - 1] ^= 1;
        Line impostor = new Line(other, line.hash(), line.epoch(), line.loadBeganNanos());
        assertThat(impostor.hashCode()).isEqualTo(line.hashCode());
        assertThat(impostor).isNotEqualTo(line);
        fixture.cache.recent().add(impostor);
        LineProbe probe =
                new LineProbe(table).aim(table, 0, new KeyEncoder().int64(1).int64(10));
        assertThat(table.find(probe, fixture.now())).isSameAs(line);
    }

    @Test
    void eraseKeyIsBuiltLikeTheLoadKey() {
        LineTable table = fixture.cache.table(2, TableOptions.DEFAULT.withPrefixCells(2));
        KeyEncoder key = new KeyEncoder();
        byte[] text = {'x', 0, 'y'};
        for (int cells = 2; cells <= 4; cells++) {
            LineProbe probe =
                    new LineProbe(table).aim(table, 0, key.reset().int64(7).bytes(text, 0, 3));
            table.load(probe, fixture.loader, new Fixture.SessionAnswer());
            fixture.takeLoad().succeed();
            assertThat(table.find(probe, fixture.now())).isNotNull();
            KeyEncoder written = new KeyEncoder().int64(7).bytes(text, 0, 3);
            for (int i = 2; i < cells; i++) {
                written.nullCell();
            }
            Fence fence = fixture.cache.fence();
            fence.close(table, written);
            assertThat(table.find(probe, fixture.now()))
                    .as("%s cells written", cells)
                    .isNull();
            fence.open();
        }
    }

    @Test
    void eviction_isDoneBeforeTheBudgetIsSurpassed() {
        long budget = 20_000;
        Fixture small = new Fixture(budget, TableOptions.DEFAULT.withTtl(Duration.ofHours(1)));
        for (long prefix = 0; prefix < 500; prefix++) {
            small.loaded(prefix, Map.of(1L, "x".repeat(100)));
            assertThat(small.table.stats().snapshot().bytes()).isLessThanOrEqualTo(budget);
        }
        TableStats.Snapshot stats = small.table.stats().snapshot();
        assertThat(stats.evictions()).isEqualTo(500 - stats.lines()).isPositive();
        small.checkInvariants();
    }

    @Test
    void loadLongerThanTtl_answersOnceAndDoesNotLoop() {
        Fixture.SessionAnswer first = fixture.read(1);
        fixture.clock.advance(Fixture.TTL.plusNanos(1));
        assertThat(fixture.read(1).decline)
                .as("its rows may be too old for who comes now")
                .isEqualTo(Decline.LOAD_TOO_OLD);
        fixture.serve(fixture.takeLoad(), 1, Map.of(10L, "ten"));
        assertThat(Fixture.row(first.served(), 1, 10)).isEqualTo("ten");
        assertThat(fixture.get(1, 10)).isNull();
        assertThat(fixture.started).isEmpty();
    }

    @Test
    void loadsBeyondTheirBound_goToTheStore() {
        RowCacheOptions options = Fixture.options();
        Fixture small = new Fixture(
                new RowCacheOptions(options.maxBytes(), 10, 2, 10, 10, 10, 0, options.ticker(), options.executor()),
                TableOptions.DEFAULT);
        small.read(1);
        small.read(2);
        assertThat(small.read(3).decline).isEqualTo(Decline.TOO_MANY_LOADS);
        assertThat(small.table.slots().size()).isEqualTo(2);
        small.serve(small.takeLoad(), 1, Map.of());
        assertThat(small.read(3).decline).isNull();
    }

    @Test
    void lineThatCameBetweenLookAndLoad_isNotLoadedAgain() {
        LineProbe probe = fixture.probe(1, 10);
        assertThat(fixture.table.find(probe, fixture.now())).isNull();
        fixture.loaded(1, Map.of(10L, "ten"));
        Fixture.SessionAnswer outcome = new Fixture.SessionAnswer();
        fixture.table.load(probe, fixture.loader, outcome);
        assertThat(Fixture.row(outcome.served(), 1, 10)).isEqualTo("ten");
        assertThat(fixture.started).isEmpty();
    }

    @Test
    void sizes_areBoundedAndCountedIn64Bits() {
        RowCacheOptions options = RowCacheOptions.of(1L << 40, 0, () -> 0, Runnable::run);
        assertThat(options.maxBytes()).isEqualTo(1L << 40);
        for (long key = 0; key < 200; key++) {
            fixture.read(key);
            write(key, 0);
        }
        assertThat(fixture.table.slots().size())
                .as("side tables do not grow with keys")
                .isEqualTo(0);
        fixture.started.forEach(Load::decline);
        assertThat(fixture.cache.loads()).isZero();
        fixture.checkInvariants();
    }

    private void write(long... key) {
        Fence fence = fixture.cache.fence();
        fence.close(fixture.table, Fixture.key(key));
        fence.open();
    }
}
