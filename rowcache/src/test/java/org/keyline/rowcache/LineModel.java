package org.keyline.rowcache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A miniature of the gateway around the cache: a {@link ModelStore}, sessions that read and write,
 * and loads that read the store at one step and answer at a later one. Every answer is compared
 * with the states of the store, and every step ends with a check of the cache's invariants.
 */
final class LineModel {
    /**
     * A kind of history.
     *
     * @param prefixCells cells of the key that name a line; 0: lines are ranges of keys
     * @param outside whether writes bypass the cache
     * @param maxRows maximum number of rows of a line
     * @param maxWaiters maximum number of reads that wait for a load
     * @param signal whether a signal reports the partitions that outside writes change: those of
     *     the key's first cell
     */
    record Shape(int prefixCells, boolean outside, long maxBytes, int maxRows, int maxWaiters, boolean signal) {
        Shape(int prefixCells, boolean outside, long maxBytes, int maxRows, int maxWaiters) {
            this(prefixCells, outside, maxBytes, maxRows, maxWaiters, false);
        }
    }

    static final int PREFIXES = 3;
    static final int KEYS_PER_PREFIX = 6;
    private static final int KINDS = 2;
    private static final int MAX_WRITES = 2;

    /** A running load: it reads the store at one step, and its rows arrive at another. */
    private static final class Trip {
        final Load load;

        @Nullable
        Map<Integer, String> sample;

        /** Whether all rows have arrived, but not their end. */
        boolean fed;

        Trip(Load load) {
            this.load = load;
        }
    }

    /** An answer of the store to the signal. */
    private record Report(Set<Long> changed, long asOfNanos, int step) {}

    private final SplittableRandom random;
    private final Shape shape;
    private final Fixture fixture;
    private final ModelStore store;

    private final List<ModelWrite> writes = new ArrayList<>();
    private final List<Trip> trips = new ArrayList<>();
    private final List<ModelRead> reads = new ArrayList<>();
    private LineTable table;
    /** The table that it replaced, or itself. */
    private LineTable former;

    /** Partitions that changed since the signal last queried the store. */
    private final Set<Long> changed = new HashSet<>();
    /** Answers of the store that have not been processed yet. */
    private final Deque<Report> signals = new ArrayDeque<>();

    private int now;
    private int hits;
    private int answers;

    LineModel(SplittableRandom random, Shape shape) {
        this.random = random;
        this.shape = shape;
        RowCacheOptions options =
                new RowCacheOptions(shape.maxBytes(), 4, 3, 4, 2, 4, Fixture.SEED, () -> 0, Runnable::run);
        this.fixture = new Fixture(options, tableOptions());
        this.table = fixture.table;
        this.former = table;
        this.store = new ModelStore(PREFIXES * KEYS_PER_PREFIX, fixture.now(), random);
    }

    /** Returns the number of answers from lines that were found. */
    int hits() {
        return hits;
    }

    /** Returns the number of all checked answers. */
    int answers() {
        return answers;
    }

    /** Returns the current step. */
    int now() {
        return now;
    }

    long nanos() {
        return fixture.now();
    }

    ModelStore store() {
        return store;
    }

    void step() {
        now++;
        if (random.nextInt(4) > 0) {
            fixture.clock.advance(Duration.ofNanos(1));
        }
        switch (random.nextInt(24)) {
            case 0, 1, 2, 3, 4, 5 -> read();
            case 6, 7 -> {
                if (table.isRanged() && random.nextInt(3) > 0) {
                    scan();
                } else {
                    readSeveral();
                }
            }
            case 8, 9 -> sample();
            case 10, 11, 12, 13 -> arrive();
            case 14 -> {
                if (shape.outside() && random.nextInt(4) > 0) {
                    time();
                } else {
                    beginWrite();
                }
            }
            case 15 -> apply();
            case 16, 17 -> acknowledge();
            case 18 -> {
                if (shape.outside() && random.nextInt(4) > 0) {
                    outsideWrite();
                } else {
                    writeAtOnce();
                }
            }
            case 19 -> time();
            case 20 -> {
                if (shape.signal() && random.nextInt(3) > 0) {
                    signal();
                } else {
                    outsideWrite();
                }
            }
            case 21 -> evict();
            case 22 -> flush();
            default -> rare();
        }
        checkInvariants();
    }

    /** Ends all running operations, and checks that no state is left. */
    void finish() {
        while (!trips.isEmpty()) {
            arrive();
        }
        while (!writes.isEmpty()) {
            now++;
            acknowledge();
        }
        for (ModelRead read : reads) {
            assertThat(read.answered).as("a read was notified").isTrue();
        }
        assertThat(table.slots().size()).as("slots left over").isZero();
        assertThat(fixture.cache.loads()).as("loads left over").isZero();
        assertThat(fixture.cache.closedPrefixes()).as("prefixes left closed").isZero();
        checkInvariants();
    }

    // ---------------------------------------------------------------- reads

    private void read() {
        int first = random.nextInt(PREFIXES);
        boolean wholePrefix = table.options().prefixCells() <= 1 && random.nextInt(4) == 0;
        int second = wholePrefix ? -1 : random.nextInt(KEYS_PER_PREFIX);
        ModelRead read = new ModelRead(this, first, second);
        LineProbe probe = probe(first, second, random.nextInt(KINDS));
        Line line = table.find(probe, fixture.now());
        if (line != null) {
            hits++;
            answer(read, line);
        } else {
            reads.add(read);
            table.load(probe, load -> trips.add(new Trip(load)), read);
        }
    }

    /**
     * Reads the next rows up or down from a key on in one statement, whose lines are neighbours;
     * the first missing line is loaded.
     */
    private void scan() {
        int begun = now;
        LineProbe.Sense sense = random.nextBoolean() ? LineProbe.Sense.UP : LineProbe.Sense.DOWN;
        int first = random.nextInt(PREFIXES);
        int second = random.nextInt(4) == 0 ? -1 : random.nextInt(KEYS_PER_PREFIX);
        int kind = random.nextInt(KINDS);
        ModelRead read = new ModelRead(this, first, second, sense);
        byte[] place = (second < 0 ? Fixture.key(first) : Fixture.key(first, second)).toBytes();
        List<Line> lines = new ArrayList<>();
        for (int wanted = 1 + random.nextInt(4); wanted > 0; wanted--) {
            LineProbe probe = aim(place, sense, kind);
            Line line = table.find(probe, fixture.now());
            if (line == null && lines.isEmpty()) {
                reads.add(read);
                table.load(probe, load -> trips.add(new Trip(load)), read);
            }
            if (line == null) {
                return;
            }
            lines.add(line);
            boolean up = sense == LineProbe.Sense.UP;
            int length = up ? line.endLength() : line.beginLength();
            if (up ? length < 0 : length == 0) {
                break;
            }
            int from = up ? line.endOffset() : line.beginOffset();
            place = Arrays.copyOfRange(line.bytes(), from, from + length);
            if (random.nextInt(3) == 0) {
                int one = random.nextInt(store.keys());
                changeBoth(one, (one + 1) % store.keys());
            }
        }
        hits++;
        if (!shape.outside() && lines.stream().allMatch(table::stillCurrent)) {
            Map<Integer, @Nullable String> seen = new HashMap<>();
            lines.forEach(line -> read.keys(line).forEach(key -> seen.put(key, value(line, key))));
            checkNext(read, seen);
            assertThat(store.heldTogether(seen, begun, now))
                    .as("rows of lines next to each other never held together: " + seen)
                    .isTrue();
            answers++;
        }
    }

    /** Checks that a read returned the first rows up or down from a key, without a gap. */
    private static void checkNext(ModelRead read, Map<Integer, @Nullable String> seen) {
        if (read.sense != null) {
            List<Integer> keys = read.keys();
            if (read.sense == LineProbe.Sense.DOWN) {
                Collections.reverse(keys);
            }
            assertThat(seen.keySet())
                    .as("rows %s", read.sense)
                    .containsExactlyInAnyOrderElementsOf(keys.subList(0, seen.size()));
        }
    }

    private LineProbe aim(byte[] place, LineProbe.Sense sense, int kind) {
        LineProbe probe =
                new LineProbe(table).aim(table, kind, place, 0, 0, place.length).rows(1 + random.nextInt(4));
        return sense == LineProbe.Sense.UP ? probe.upwards() : probe.downwards();
    }

    /**
     * Reads two keys in one statement, which lines may answer only if both existed at one moment.
     */
    private void readSeveral() {
        int begun = now;
        List<Line> lines = new ArrayList<>();
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int key = random.nextInt(store.keys());
            if (i == 1 && random.nextBoolean()) {
                changeBoth(keys.get(0), key);
            }
            Line line = table.find(probe(key / KEYS_PER_PREFIX, key % KEYS_PER_PREFIX, 0), fixture.now());
            if (line == null) {
                return;
            }
            lines.add(line);
            keys.add(key);
        }
        if (!shape.outside() && lines.stream().allMatch(table::stillCurrent)) {
            Map<Integer, @Nullable String> seen = new HashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                seen.put(keys.get(i), value(lines.get(i), keys.get(i)));
            }
            assertThat(store.heldTogether(seen, begun, now))
                    .as("rows of two lines never held together: " + seen)
                    .isTrue();
            answers++;
        }
    }

    /** Changes two keys in one transaction, after which the second one is loaded at once. */
    private void changeBoth(int one, int other) {
        now++;
        Map<Integer, @Nullable String> changes = new HashMap<>();
        changes.put(one, store.value());
        changes.put(other, store.value());
        Fence fence = fixture.cache.fence();
        fence.close(table, key(one));
        fence.close(table, key(other));
        acknowledge(new ModelWrite(fence, changes));
        ModelRead read = new ModelRead(this, other / KEYS_PER_PREFIX, other % KEYS_PER_PREFIX);
        reads.add(read);
        table.load(probe(read.first, read.second, 0), load -> feed(load, select(load)), read);
    }

    void answer(ModelRead read, Line line) {
        assertThat(read.answered).as("notified twice").isFalse();
        read.answered = true;
        answers++;
        Map<Integer, @Nullable String> seen = new HashMap<>();
        for (int key : read.keys(line)) {
            seen.put(key, value(line, key));
        }
        checkNext(read, seen);
        if (!shape.outside()) {
            assertThat(store.heldTogether(seen, read.begun, now))
                    .as("stale or lost: %s, read from step %s to %s, %s", seen, read.begun, now, store)
                    .isTrue();
        }
        seen.forEach((key, value) -> {
            int version = store.versionOf(key, value);
            assertThat(version)
                    .as("key %s: older than what was acknowledged or seen before: %s", key, store)
                    .isGreaterThanOrEqualTo(read.floors[key]);
            assertThat(store.overwrittenNanos(key, version))
                    .as("key %s: overwritten longer than a ttl before the read began: %s", key, store)
                    .isGreaterThanOrEqualTo(read.begunNanos - Fixture.TTL.toNanos());
            store.observed(key, version);
        });
    }

    // ---------------------------------------------------------------- loads

    private void sample() {
        if (!trips.isEmpty()) {
            Trip trip = trips.get(random.nextInt(trips.size()));
            if (trip.sample == null) {
                trip.sample = select(trip.load);
            }
        }
    }

    private Map<Integer, String> select(Load load) {
        Comparator<Integer> order = load.descends() ? Comparator.reverseOrder() : Comparator.naturalOrder();
        Map<Integer, String> sample = new TreeMap<>(order);
        for (int key = 0; key < store.keys(); key++) {
            String value = store.valueAt(key, now);
            byte[] bytes = key(key).toBytes();
            byte[] prefix = load.prefix();
            byte[] from = load.from();
            byte[] to = load.to();
            if (value != null
                    && Arrays.equals(prefix, 0, prefix.length, bytes, 0, prefix.length)
                    && (from == null || Arrays.compareUnsigned(from, bytes) <= 0)
                    && (to == null || Arrays.compareUnsigned(to, bytes) > 0)) {
                sample.put(key, value);
            }
        }
        return sample;
    }

    private void arrive() {
        if (trips.isEmpty()) {
            return;
        }
        Trip trip = trips.remove(random.nextInt(trips.size()));
        switch (random.nextInt(12)) {
            case 0 -> trip.load.fail(new RuntimeException("lost"));
            case 1 -> trip.load.decline();
            default -> {
                if (trip.fed) {
                    trip.load.succeed();
                } else if (random.nextInt(8) == 0) {
                    feedRows(trip.load, trip.sample == null ? select(trip.load) : trip.sample);
                    trip.fed = true;
                    trips.add(trip);
                    return;
                } else {
                    feed(trip.load, trip.sample == null ? select(trip.load) : trip.sample);
                }
            }
        }
        if (random.nextInt(4) == 0) {
            trip.load.fail(new RuntimeException("a timer that came late"));
        }
    }

    private static void feed(Load load, Map<Integer, String> sample) {
        feedRows(load, sample);
        load.succeed();
    }

    private static void feedRows(Load load, Map<Integer, String> sample) {
        for (Map.Entry<Integer, String> row : sample.entrySet()) {
            byte[] bytes = row.getValue().getBytes(UTF_8);
            if (!load.row(key(row.getKey()), bytes, 0, bytes.length)) {
                break;
            }
        }
    }

    // ---------------------------------------------------------------- writes

    private void beginWrite() {
        if (writes.size() < MAX_WRITES) {
            writes.add(anyWrite());
        }
    }

    private ModelWrite anyWrite() {
        // A session may still have the table that was replaced.
        LineTable known = random.nextInt(8) == 0 ? former : table;
        return ModelWrite.any(random, fixture.cache.fence(), known, store);
    }

    private void apply() {
        if (!writes.isEmpty()) {
            apply(writes.get(random.nextInt(writes.size())));
        }
    }

    private void apply(ModelWrite write) {
        // A write that failed in the store, or was rolled back, changes nothing, but its fence was
        // closed.
        if (!write.applied && random.nextInt(8) > 0) {
            List<Integer> absent = write.candidates(store, now);
            for (int rows = random.nextInt(4) == 0 ? 2 : 1; rows > 0 && !absent.isEmpty(); rows--) {
                // It makes its other changes afterwards.
                int added = absent.remove(random.nextInt(absent.size()));
                if (!write.changes.containsKey(added)) {
                    write.changes.put(added, store.value());
                    write.added.add(added);
                }
            }
            write.changes.forEach(
                    (key, value) -> write.versions.put(key, store.change(key, value, now, fixture.now(), false)));
        }
        write.applied = true;
    }

    private void acknowledge() {
        if (!writes.isEmpty()) {
            acknowledge(writes.remove(random.nextInt(writes.size())));
        }
    }

    private void acknowledge(ModelWrite write) {
        apply(write);
        // The reply may be lost, or not name the rows.
        LineTable addsTo = write.addsTo;
        if (addsTo != null && random.nextInt(4) > 0) {
            write.added.forEach(each -> write.fence.close(addsTo, key(each)));
            write.fence.added(addsTo);
        }
        write.fence.open();
        write.versions.forEach(store::acknowledged);
    }

    private void writeAtOnce() {
        acknowledge(anyWrite());
    }

    private void time() {
        fixture.clock.advance(Duration.ofMillis(random.nextInt(600)));
    }

    private void outsideWrite() {
        if (shape.outside()) {
            int key = random.nextInt(store.keys());
            changed.add((long) (key / KEYS_PER_PREFIX));
            store.change(key, random.nextInt(3) == 0 ? null : store.value(), now, fixture.now(), true);
        }
    }

    /** The signal queries the store, or processes its answer. */
    private void signal() {
        if (signals.isEmpty()) {
            signals.add(new Report(Set.copyOf(changed), fixture.now(), now));
            changed.clear();
            return;
        }
        Report report = signals.remove();
        if (table.partitions() == null) {
            table.partitions(LineModel::partition);
        } else {
            table.flushPartitions(report.changed());
        }
        table.extendFreshness(report.asOfNanos());
        for (int key = 0; key < store.keys(); key++) {
            store.acknowledged(key, store.versionAt(key, report.step()));
        }
    }

    private static long partition(byte[] key, int from, int to) {
        KeyReader reader = new KeyReader().wrap(key, from, to);
        return reader.next() == KeyReader.Cell.INT64 ? reader.int64() : Partitions.NONE;
    }

    // ---------------------------------------------------------------- the rest

    private void evict() {
        List<LineKey> entries = new ArrayList<>(fixture.table.lines().asMap().values());
        if (!entries.isEmpty()) {
            fixture.cache.remove(entries.get(random.nextInt(entries.size())));
        }
    }

    private void flush() {
        switch (random.nextInt(4)) {
            case 0 -> table.flush(Fixture.key(random.nextInt(PREFIXES)));
            case 1 -> table.flush();
            case 2 -> fixture.cache.flush();
            default -> fixture.cache.sweep(2);
        }
    }

    private void rare() {
        boolean enabled = table.options().enabled();
        switch (random.nextInt(6)) {
            case 0 -> table.options(table.options().withEnabled(!enabled));
            case 1 -> {
                // DDL, or another granularity: no state of the old table may answer for the new
                // one, not even while old writes are running.
                int more = random.nextInt(3) / 2;
                TableOptions options = tableOptions().withPrefixCells(Math.min(2, shape.prefixCells() + more));
                former = table;
                table = fixture.cache.replace(table, table.id() + random.nextInt(2), options);
            }
            default -> table.options(table.options().withEnabled(true));
        }
    }

    private void checkInvariants() {
        fixture.checkInvariants(table);
        assertThat(fixture.cache.loads()).as("loads under way").isEqualTo(trips.size());
        if (shape.outside()) {
            return;
        }
        checkSingleRows();
        // A read now must find the store's current rows.
        Set<Line> found = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int key = 0; key < store.keys(); key++) {
            for (int kind = 0; kind < KINDS; kind++) {
                LineProbe all = probe(key / KEYS_PER_PREFIX, key % KEYS_PER_PREFIX, kind);
                Line line = table.find(all.oneRow(false), fixture.now());
                if (line != null) {
                    found.add(line);
                }
                byte[] place = key(key).toBytes();
                for (LineProbe.Sense sense : LineProbe.Sense.values()) {
                    Line next = !table.isRanged() || sense == LineProbe.Sense.ALL
                            ? null
                            : table.find(aim(place, sense, kind), fixture.now());
                    if (next != null) {
                        assertThat(next.covers(sense, place, 0, place.length))
                                .as("key %s in %s", key, sense)
                                .isTrue();
                        found.add(next);
                    }
                }
            }
        }
        found.forEach(this::check);
    }

    /** A line may lack rows that were added, but not the row for which a read finds it. */
    private void checkSingleRows() {
        for (int key = 0; key < store.keys(); key++) {
            for (int kind = 0; kind < KINDS; kind++) {
                Line line = table.find(probe(key / KEYS_PER_PREFIX, key % KEYS_PER_PREFIX, kind), fixture.now());
                if (line != null) {
                    assertThat(value(line, key)).as("key %s of %s", key, line).isEqualTo(store.valueAt(key, now));
                }
            }
        }
    }

    /** Checks that the line has the store's current rows between its bounds. */
    private void check(Line line) {
        int rows = 0;
        for (int key = 0; key < store.keys(); key++) {
            if (has(line, key)) {
                assertThat(value(line, key)).as("key %s of %s", key, line).isEqualTo(store.valueAt(key, now));
                rows += store.valueAt(key, now) == null ? 0 : 1;
            }
        }
        assertThat(line.rows()).as("rows of %s", line).isEqualTo(rows);
    }

    /** Returns whether a key is within the bounds of a line. */
    static boolean has(Line line, int key) {
        byte[] bytes = key(key).toBytes();
        byte[] prefix = line.prefix();
        return Arrays.equals(prefix, 0, prefix.length, bytes, 0, prefix.length)
                && line.covers(bytes, prefix.length, bytes.length);
    }

    /** Returns the first key at these cells or above. */
    static int place(int first, int second) {
        return first * KEYS_PER_PREFIX + Math.max(0, second);
    }

    private TableOptions tableOptions() {
        return TableOptions.DEFAULT
                .withPrefixCells(shape.prefixCells())
                .withTtl(Fixture.TTL, Fixture.TTL.multipliedBy(shape.signal() ? 20 : 1))
                .withCeilings(shape.maxRows(), 1_000)
                .withMaxWaiters(shape.maxWaiters());
    }

    private LineProbe probe(int first, int second, int kind) {
        KeyEncoder key = second < 0 ? Fixture.key(first) : Fixture.key(first, second);
        return new LineProbe(table).aim(table, kind, key).oneRow(second >= 0);
    }

    static KeyEncoder key(int key) {
        return Fixture.key(key / KEYS_PER_PREFIX, key % KEYS_PER_PREFIX);
    }

    private static @Nullable String value(Line line, int key) {
        KeyEncoder whole = key(key);
        int row = line.find(whole.buffer(), line.prefixTo() - line.prefixFrom(), whole.length());
        return row < 0 ? null : Fixture.text(line, row);
    }
}
