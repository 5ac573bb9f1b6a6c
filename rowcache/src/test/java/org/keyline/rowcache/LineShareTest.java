package org.keyline.rowcache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whoever has more lines than its share makes room by its own; the lines of others stay, and answer everybody. */
final class LineShareTest {
    private static final String ROW = "x".repeat(100);

    private final Fixture fixture = new Fixture();
    private long maxBytes;
    private long maxRows;
    private final LineShare busy = new LineShare(() -> maxBytes, () -> maxRows);
    private final LineShare other = new LineShare(() -> maxBytes, () -> maxRows);

    private Fixture.Told read(@Nullable LineShare share, long prefix) {
        Fixture.Told told = new Fixture.Told();
        fixture.table.load(fixture.probe(prefix), fixture.loader, told, share);
        return told;
    }

    private Line load(@Nullable LineShare share, long prefix) {
        Fixture.Told told = read(share, prefix);
        fixture.serve(fixture.takeLoad(), prefix, Map.of(1L, ROW));
        return told.served();
    }

    private boolean has(long prefix) {
        return fixture.cache.peek(fixture.probe(prefix)) != null;
    }

    private long[] kept(long from, long to) {
        return LongStream.range(from, to).filter(this::has).toArray();
    }

    @Test
    void line_isChargedToWhoBeganItsLoad_untilItGoes() {
        load(null, 1);
        assertThat(busy.charged()).isEqualTo(LineShare.Charged.NOTHING);
        Fixture.Told told = read(busy, 2);
        Fixture.Told joined = read(other, 2);
        assertThat(busy.isIdle()).as("a load is under way").isFalse();
        fixture.serve(fixture.takeLoad(), 2, Map.of(1L, ROW, 2L, ROW));
        assertThat(told.served()).isSameAs(joined.served());
        assertThat(busy.charged())
                .isEqualTo(new LineShare.Charged(1, 2, told.served().weight()));
        assertThat(other.charged()).isEqualTo(LineShare.Charged.NOTHING);
        assertThat(other.isIdle()).isTrue();
        assertThat(fixture.find(2)).as("answers all").isNotNull();

        fixture.table.flush(Fixture.key(2));
        assertThat(busy.charged()).isEqualTo(LineShare.Charged.NOTHING);
        assertThat(busy.isIdle()).isTrue();
        fixture.checkInvariants();
    }

    @Test
    void line_thatIsReplacedOrExpiresOrIsEvicted_isChargedNoMore() {
        load(busy, 1);
        fixture.clock.advance(Fixture.TTL.plusNanos(1));
        Line byOther = load(other, 1);
        assertThat(busy.isIdle()).isTrue();
        assertThat(other.charged().bytes()).isEqualTo(byOther.weight());
        fixture.clock.advance(Fixture.TTL.plusNanos(1));
        assertThat(fixture.cache.sweep(10)).isEqualTo(1);
        assertThat(other.isIdle()).isTrue();
        load(busy, 2);
        fixture.cache.budgets(1, 0);
        assertThat(busy.isIdle()).isTrue();
        fixture.checkInvariants();
    }

    @Test
    void linesBeyondTheShare_pushOutTheOldestOfTheSame_andNobodyElses() {
        long each = load(other, 0).weight();
        maxBytes = 3 * each;
        load(null, 100);
        for (long prefix = 1; prefix <= 10; prefix++) {
            load(busy, prefix);
        }
        assertThat(kept(0, 11)).containsExactly(0, 8, 9, 10);
        assertThat(has(100)).as("nobody's line").isTrue();
        assertThat(busy.charged()).isEqualTo(new LineShare.Charged(3, 3, 3 * each));
        assertThat(fixture.table.stats().snapshot().evictions()).isEqualTo(7);
        fixture.checkInvariants();
    }

    @Test
    void linesThatAreFoundAgainAndAgain_stay_whoeverFindsThem() {
        maxBytes = 4L * load(busy, 1).weight();
        load(busy, 2);
        for (long prefix = 10; prefix < 40; prefix++) {
            assertThat(fixture.find(1)).isNotNull();
            load(busy, prefix);
        }
        assertThat(kept(0, 40)).containsExactly(1, 37, 38, 39);
        // Nobody asks for it any more.
        load(busy, 40);
        load(busy, 41);
        load(busy, 42);
        load(busy, 43);
        load(busy, 44);
        assertThat(has(1)).isFalse();
    }

    @Test
    void rows_haveALimitToo_andLinesWithoutRowsCountAsOne() {
        maxRows = 4;
        for (long prefix = 1; prefix <= 6; prefix++) {
            Fixture.Told told = read(busy, prefix);
            fixture.serve(fixture.takeLoad(), prefix, prefix % 2 == 0 ? Map.of() : Map.of(1L, ROW, 2L, ROW));
            assertThat(told.served().rows()).isEqualTo(prefix % 2 == 0 ? 0 : 2);
        }
        assertThat(kept(0, 10)).containsExactly(4, 5, 6);
        assertThat(busy.charged().rows()).isEqualTo(4);
    }

    @Test
    void shareThatHasShrunkByMuch_declinesLoadsUntilThereIsRoom() {
        int lines = 3 * LineShare.LOOKS;
        for (long prefix = 0; prefix < lines; prefix++) {
            load(busy, prefix);
        }
        load(other, lines);
        maxRows = 10;
        Fixture.Told told = read(busy, lines + 1);
        assertThat(told.decline).isEqualTo(Decline.OVER_SHARE);
        assertThat(busy.charged().lines()).isEqualTo(lines - LineShare.LOOKS);
        assertThat(load(other, lines + 2).rows()).as("others load").isEqualTo(1);
        fixture.table.refresh(fixture.probe(lines), fixture.loader, busy);
        assertThat(fixture.started).as("nor is a line refreshed").isEmpty();
        assertThat(busy.charged().lines()).isEqualTo(lines - 2 * LineShare.LOOKS);
        busy.makeRoom(lines);
        assertThat(busy.charged().lines()).isEqualTo(10);
        load(busy, lines + 1);
        assertThat(busy.charged().lines()).isEqualTo(10);
        assertThat(fixture.table.stats().snapshot().declines(Decline.OVER_SHARE))
                .isEqualTo(1);
        fixture.checkInvariants();
    }

    @Test
    void loadsThatFailOrAreDisturbed_chargeNothing() {
        Fixture.Told failed = read(busy, 1);
        fixture.takeLoad().fail(new RuntimeException("store"));
        assertThat(failed.cause).isNotNull();
        Fixture.Told disturbed = read(busy, 2);
        Fence fence = fixture.cache.fence();
        fence.close(fixture.table, Fixture.key(2));
        fence.open();
        fixture.serve(fixture.takeLoad(), 2, Map.of(1L, ROW));
        assertThat(disturbed.served().rows()).isEqualTo(1);
        assertThat(has(2)).isFalse();
        assertThat(busy.isIdle()).isTrue();
    }

    @Test
    void lineThatAWriteChanges_staysTheSameOnes() {
        load(busy, 1);
        Fence fence = fixture.cache.fence();
        Patch patch = Objects.requireNonNull(fence.closeToPatch(fixture.table, Fixture.key(1, 1)));
        assertThat(busy.charged().lines()).isZero();
        patch.row((kind, bytes, from, length) -> "another".getBytes(UTF_8), true);
        fence.open();
        assertThat(fixture.get(1, 1)).isEqualTo("another");
        assertThat(busy.charged())
                .isEqualTo(new LineShare.Charged(
                        1, 1, Objects.requireNonNull(fixture.find(1)).weight()));
    }

    @Test
    void rowsThatWereLoadedElsewhere_areChargedToWhoAskedForThem() {
        fixture.clock.advance(Duration.ofMillis(10));
        long began = fixture.now();
        fixture.clock.advance(Duration.ofMillis(10));
        Fixture.Told told = read(busy, 1);
        Load load = fixture.takeLoad();
        fixture.feed(load, 1, 1, ROW);
        assertThat(load.succeedAsOf(began, () -> true)).isTrue();
        assertThat(busy.charged().bytes()).isEqualTo(told.served().weight());
        fixture.table.flush(Fixture.key(1));
        assertThat(busy.isIdle()).isTrue();
    }

    @Test
    void rangesOfASplitPrefix_areChargedEach() {
        Fixture split = new Fixture(TableOptions.DEFAULT.withTtl(Fixture.TTL).withCeilings(2, 1 << 20));
        maxRows = 4;
        for (long second = 1; second <= 7; second += 2) {
            Fixture.Told told = new Fixture.Told();
            split.table.load(split.probe(1, second), split.loader, told, busy);
            split.serve(
                    split.takeLoad(),
                    1,
                    new TreeMap<>(Map.of(1L, "a", 2L, "b", 3L, "c", 4L, "d", 5L, "e", 6L, "f", 7L, "g")));
            assertThat(told.served().rows()).isPositive();
        }
        assertThat(busy.charged().rows()).isBetween(1L, 4L);
        // Ranges that were dropped answer no more, and leave the memory when their time is over.
        split.table.flush(Fixture.key(1));
        split.clock.advance(Fixture.TTL.plusNanos(1));
        assertThat(split.cache.sweep(10)).isPositive();
        assertThat(busy.isIdle()).isTrue();
        split.checkInvariants();
    }
}
