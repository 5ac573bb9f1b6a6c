package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A table without a prefix: its lines are neighbouring ranges of keys. */
final class RangedTableTest {
    private static final int CEILING = 3;

    private final Fixture fixture = new Fixture(
            TableOptions.DEFAULT.withPrefixCells(0).withTtl(Fixture.TTL).withCeilings(CEILING, 1000));
    private final Map<Long, String> rows = new TreeMap<>();

    RangedTableTest() {
        for (long key = 0; key < 100; key += 10) {
            rows.put(key, "row " + key);
        }
    }

    @Test
    void scanUp_goesFromLineToLine() {
        Load load = loadUp(20);
        assertThat(load.from()).isEqualTo(key(20));
        assertThat(load.to()).isNull();
        fixture.serve(load, 1, rows);
        Line first = Objects.requireNonNull(up(20));
        assertThat(Fixture.texts(first)).containsExactly("row 20", "row 30", "row 40");
        assertThat(end(first)).isEqualTo(key(50));
        assertThat(up(19)).as("below the first range").isNull();
        assertThat(up(50)).isNull();
        fixture.serve(loadUp(50), 1, rows);
        assertThat(Fixture.texts(Objects.requireNonNull(up(50)))).containsExactly("row 50", "row 60", "row 70");
        assertThat(fixture.get(1, 45)).isEqualTo("absent");
        assertThat(up(20)).as("lines do not overlap").isSameAs(first);
        fixture.checkInvariants();
    }

    @Test
    void scanDown_loadsTheRowsBelow() {
        Load load = loadDown(50);
        assertThat(load.descends()).isTrue();
        assertThat(load.to()).isEqualTo(key(50));
        for (long key : new long[] {40, 30, 20}) {
            assertThat(fixture.feed(load, 1, key, "row " + key)).isTrue();
        }
        assertThat(fixture.feed(load, 1, 10, "beyond the ceiling")).isFalse();
        load.succeed();
        Line line = Objects.requireNonNull(down(50));
        assertThat(Fixture.texts(line)).containsExactly("row 20", "row 30", "row 40");
        assertThat(fixture.get(1, 20)).isEqualTo("row 20");
        assertThat(fixture.get(1, 15)).as("not known to be absent").isNull();
        assertThat(down(20)).isNull();
        assertThat(up(50)).isNull();
        fixture.checkInvariants();
    }

    @Test
    void rowsOutOfOrder_goingDown_areNotCached() {
        Load load = loadDown(50);
        fixture.feed(load, 1, 30, "row");
        fixture.feed(load, 1, 40, "row");
        load.succeed();
        assertThat(down(50)).isNull();
    }

    @Test
    void rowsThatWereNotRequested_areNotCached() {
        Load up = loadUp(50);
        assertThat(fixture.feed(up, 1, 40, "row below")).isFalse();
        up.succeed();
        assertThat(up(50)).isNull();
        assertThat(up(40)).isNull();
        Load down = loadDown(50);
        assertThat(fixture.feed(down, 1, 50, "row above")).isFalse();
        down.succeed();
        assertThat(down(50)).isNull();
        fixture.checkInvariants();
    }

    /** Reads of all rows begin without a key, or above all keys. */
    @Test
    void scanOfAllRows_beginsWithTheFirstOrTheLast() {
        fixture.table.load(all(Bytes.NONE).upwards(), fixture.loader, new Fixture.SessionAnswer());
        Load load = fixture.takeLoad();
        assertThat(load.from()).isNull();
        assertThat(load.to()).isNull();
        fixture.serve(load, 1, rows);
        Line first = Objects.requireNonNull(fixture.table.find(all(Bytes.NONE).upwards(), fixture.now()));
        assertThat(Fixture.texts(first)).containsExactly("row 0", "row 10", "row 20");
        byte[] top = {KeyEncoder.ABOVE};
        fixture.table.load(all(top).downwards(), fixture.loader, new Fixture.SessionAnswer());
        Load last = fixture.takeLoad();
        assertThat(last.descends()).isTrue();
        assertThat(last.from()).as("what is below is there").isEqualTo(key(30));
        for (long key : new long[] {90, 80, 70}) {
            assertThat(fixture.feed(last, 1, key, "row " + key)).isTrue();
        }
        assertThat(fixture.feed(last, 1, 60, "beyond the ceiling")).isFalse();
        last.succeed();
        Line line = Objects.requireNonNull(fixture.table.find(all(top).downwards(), fixture.now()));
        assertThat(Fixture.texts(line)).containsExactly("row 70", "row 80", "row 90");
        fixture.checkInvariants();
        Fence fence = fixture.cache.fence();
        fence.close(fixture.table, Fixture.key(1, -5));
        assertThat(fixture.table.find(all(Bytes.NONE).upwards(), fixture.now())).isNull();
        assertThat(fixture.table.find(all(top).downwards(), fixture.now())).isNotNull();
        fence.open();
    }

    private LineProbe all(byte[] from) {
        return new LineProbe(fixture.table).aim(fixture.table, Fixture.TEXT, from, 0, 0, from.length);
    }

    @Test
    void load_wantsAsManyRowsAsTheReadDoes() {
        Fixture large = new Fixture(TableOptions.DEFAULT.withPrefixCells(0));
        for (int wanted : new int[] {1, 1000, 20_000}) {
            byte[] key = Fixture.key(1, wanted).toBytes();
            LineProbe probe = new LineProbe(large.table)
                    .aim(large.table, Fixture.TEXT, key, 0, 0, key.length)
                    .upwards()
                    .rows(wanted);
            large.table.load(probe, large.loader, new Fixture.SessionAnswer());
            assertThat(large.takeLoad().maxRows()).isEqualTo(Math.min(10_000, Math.max(128, wanted)));
        }
    }

    private LineProbe probe(long key) {
        byte[] bytes = key(key);
        return new LineProbe(fixture.table).aim(fixture.table, Fixture.TEXT, bytes, 0, 0, bytes.length);
    }

    private static byte[] key(long key) {
        return Fixture.key(1, key).toBytes();
    }

    private @Nullable Line up(long key) {
        return fixture.table.find(probe(key).upwards(), fixture.now());
    }

    private @Nullable Line down(long key) {
        return fixture.table.find(probe(key).downwards(), fixture.now());
    }

    private Load loadUp(long key) {
        fixture.table.load(probe(key).upwards(), fixture.loader, new Fixture.SessionAnswer());
        return fixture.takeLoad();
    }

    private Load loadDown(long key) {
        fixture.table.load(probe(key).downwards(), fixture.loader, new Fixture.SessionAnswer());
        return fixture.takeLoad();
    }

    private static byte[] end(Line line) {
        return Arrays.copyOfRange(line.bytes(), line.endOffset(), line.endOffset() + line.endLength());
    }
}
