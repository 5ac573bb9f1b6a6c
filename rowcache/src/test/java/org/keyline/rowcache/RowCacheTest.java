package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class RowCacheTest {
    @Test
    void table_ofOneId_isMadeOnce() {
        Fixture fixture = new Fixture();
        assertThat(fixture.cache.table(1, TableOptions.DEFAULT)).isSameAs(fixture.table);
        assertThat(fixture.cache.tables()).containsExactly(fixture.table);
    }

    @Test
    void tables_moreThanMayBe_areRefusedUntilOneRetires() {
        RowCacheOptions options = Fixture.options();
        Fixture fixture = new Fixture(
                new RowCacheOptions(options.maxBytes(), 1, 1, 1, 1, 1, 0, options.ticker(), options.executor()),
                TableOptions.DEFAULT);
        assertThatThrownBy(() -> fixture.cache.table(2, TableOptions.DEFAULT))
                .isInstanceOf(IllegalStateException.class);
        assertThat(fixture.cache.tableIfRoom(2, TableOptions.DEFAULT)).isNull();
        fixture.cache.retire(fixture.table);
        assertThat(fixture.cache.table(2, TableOptions.DEFAULT).id()).isEqualTo(2);
    }

    @Test
    void sweep_inRounds_removesWhatIsOver() {
        Fixture fixture = new Fixture();
        for (long prefix = 0; prefix < 10; prefix++) {
            fixture.loaded(prefix, Map.of());
        }
        fixture.clock.advance(Fixture.TTL.plusNanos(1));
        fixture.loaded(3, Map.of());
        int removed = 0;
        for (int round = 0; round < 6; round++) {
            removed += fixture.cache.sweep(2);
        }
        assertThat(removed).isEqualTo(9);
        assertThat(fixture.find(3)).isNotNull();
        TableStats.Snapshot stats = fixture.table.stats().snapshot();
        assertThat(stats.lines()).isEqualTo(1);
        assertThat(stats.expirations()).isEqualTo(10);
        fixture.checkInvariants();
    }

    @Test
    void budgets_thatShrinkAndGrow_holdAtOnce() {
        Fixture fixture = new Fixture();
        for (long prefix = 0; prefix < 10; prefix++) {
            fixture.loaded(prefix, Map.of(1L, "x".repeat(1000)));
        }
        long each = fixture.cache.lineBytes() / 10;
        fixture.cache.budgets(4 * each, 0);
        assertThat(fixture.cache.maxBytes()).isEqualTo(4 * each);
        assertThat(fixture.cache.lineBytes()).isEqualTo(4 * each);
        assertThat(fixture.table.stats().snapshot().evictions()).isEqualTo(6);
        fixture.cache.budgets(1 << 20, 0);
        for (long prefix = 0; prefix < 10; prefix++) {
            if (fixture.find(prefix) == null) {
                fixture.loaded(prefix, Map.of(1L, "x".repeat(1000)));
            }
        }
        assertThat(fixture.table.stats().snapshot().lines()).isEqualTo(10);
        fixture.checkInvariants();
        assertThatThrownBy(() -> fixture.cache.budgets(0, 0)).hasMessageContaining("bytes: 0 (expected: >= 1)");
    }

    @Test
    void line_biggerThanTheBudget_answersItsReadersAndIsGone() {
        Fixture fixture = new Fixture(500, TableOptions.DEFAULT);
        Line line = fixture.loaded(1, Map.of(1L, "x".repeat(1000)));
        assertThat(Fixture.row(line, 1, 1)).hasSize(1000);
        assertThat(fixture.find(1)).isNull();
        fixture.checkInvariants();
    }

    /**
     * Most hits of a line that was recently found are not reported to Caffeine. The reported ones
     * must suffice to retain the right lines.
     */
    @Test
    void lines_inASmallBudget_areAboutThoseOfACaffeineThatCountsEveryUse() {
        Fixture fixture = new Fixture(400_000, TableOptions.DEFAULT.withTtl(Duration.ofHours(1)));
        LineTable table = fixture.table;
        LineProbe probe = new LineProbe(table);
        Cache<Integer, Integer> reference =
                Caffeine.newBuilder().maximumSize(2_424).executor(Runnable::run).build();
        KeyEncoder key = new KeyEncoder();
        SplittableRandom random = new SplittableRandom(7);
        int keys = 20_000;
        int found = 0;
        int referenceFound = 0;
        for (int read = 0; read < 400_000; read++) {
            // Density 1/x: about Zipf's law.
            int asked = (int) Math.pow(keys, random.nextDouble());
            probe.aim(table, Fixture.TEXT, key.reset().int64(asked));
            if (table.find(probe, fixture.now()) != null) {
                found++;
            } else {
                table.load(probe, Load::succeed, new Fixture.SessionAnswer());
            }
            if (reference.getIfPresent(asked) != null) {
                referenceFound++;
            } else {
                reference.put(asked, asked);
            }
        }
        assertThat(table.stats().snapshot().lines()).isBetween(2_400L, 2_450L);
        assertThat(found).isGreaterThan((int) (referenceFound * 0.98));
    }

    @Test
    void stats_countLoadsByTheirTime() {
        Fixture fixture = new Fixture();
        fixture.read(1);
        fixture.clock.advance(Duration.ofNanos(TableStats.loadTimeBoundsNanos()[2]));
        fixture.takeLoad().succeed();
        fixture.read(2);
        fixture.clock.advance(Duration.ofHours(1));
        fixture.takeLoad().fail(new RuntimeException());
        TableStats.Snapshot stats = fixture.table.stats().snapshot();
        assertThat(stats.loadTimes()[2]).isEqualTo(1);
        assertThat(stats.loadTimes()[stats.loadTimes().length - 1]).isEqualTo(1);
        assertThat(stats.loadNanos()).isEqualTo(Duration.ofHours(1).toNanos() + TableStats.loadTimeBoundsNanos()[2]);
        fixture.table.stats().countQuery();
        fixture.table.stats().countHit();
        fixture.table.stats().countAbsentHit();
        TableStats.Snapshot later = fixture.table.stats().snapshot();
        assertThat(later.queries()).isEqualTo(1);
        assertThat(later.hits()).isEqualTo(1);
        assertThat(later.absentHits()).isEqualTo(1);
        assertThat(later.declines(Decline.FENCED)).isZero();
    }
}
