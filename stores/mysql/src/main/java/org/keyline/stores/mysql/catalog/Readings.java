package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/** Holds the last reading of the definitions, and schedules the next. Confined to one thread. */
final class Readings {
    /*
     * A reading of all tables costs the store up to a millisecond of CPU time per table. So it runs
     * only if the store's counters (DefinitionCount) show that a definition statement has begun.
     *
     * Such a statement may take effect long after it is counted. So the gateway repeats the
     * reading, at intervals as long as the time since the counters last changed. It stops after a
     * reading during which no counter changed and no statement was running, or ten minutes after
     * the last change. Besides, a slow round reads some tables each minute (turn).
     */
    private static final int TABLES_PER_TURN = 200;

    private static final Comparator<TableName> ORDER =
            Comparator.comparing(TableName::schema).thenComparing(TableName::table);

    private static final Duration TURN = Duration.ofMinutes(1);
    private static final long ROUND_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final StoreReader reader;
    private final long periodNanos;
    private final long turnNanos;
    private final KnownTables known = new KnownTables();
    private @Nullable Reading last;
    private @Nullable DefinitionCount count;
    private long movedNanos;
    private long againNanos;
    private boolean moved;
    private long turnedNanos = System.nanoTime();
    private @Nullable TableName turnEnd;

    /** Tables that were read by name during a reading of all tables. */
    private final Set<TableName> overtaken = new HashSet<>();

    Readings(StoreReader reader, Duration period) {
        this(reader, period, TURN);
    }

    /** @param turn minimum time between two calls of {@link #turn} that read tables */
    Readings(StoreReader reader, Duration period, Duration turn) {
        this.reader = reader;
        this.periodNanos = period.toNanos();
        this.turnNanos = turn.toNanos();
    }

    /** Returns the remarks of the last reading for the operator. */
    Set<String> remarks() {
        return last == null ? Set.of() : last.remarks();
    }

    /** Returns the tables of the last reading that have triggers. */
    List<TableSchema> triggered() {
        return last == null
                ? List.of()
                : last.tables().values().stream()
                        .map(ListedTable::schema)
                        .filter(table -> !table.triggers().isEmpty())
                        .toList();
    }

    /** Returns whether the store's counters, or a repetition, require a reading of all tables. */
    boolean isDue(CatalogRows rows) throws ReadFailure {
        DefinitionCount now = reader.definitionCount(rows);
        if (now == null || last == null || defined(now)) {
            return true;
        }
        return moved && System.nanoTime() - againNanos >= 0;
    }

    /** Returns whether all tables will be read again although the counters have not changed. */
    boolean areRepeated() {
        return moved;
    }

    /**
     * Reads all tables.
     *
     * @param doubted whether tables may have changed and changed back since the last reading
     * @return all tables; null if nothing changed
     */
    @Nullable
    Snapshot all(CatalogRows rows, boolean doubted, StoreReader.Interlude interlude) throws ReadFailure {
        long began = System.nanoTime();
        DefinitionCount counted = reader.definitionCount(rows);
        // The order matters. If a statement is counted but no longer running, it has taken effect
        // before the reading.
        boolean underWay = reader.mayBeUnderWay(rows);
        overtaken.clear();
        if (doubted) {
            reader.forget();
        }
        Reading first = reader.read(rows, interlude);
        Reading before = last;
        Reading next;
        if (before == null) {
            Reading second = reader.read(rows, interlude);
            next = watched(first.confirmedBy(second), second);
        } else {
            next = confirmed(rows, merged(first, before), before);
        }
        next = merged(next, last);
        schedule(counted, underWay, began);
        if (doubted) {
            known.doubtAllBut(overtaken);
        }
        return next.equals(last) && !doubted ? null : taken(next);
    }

    /** Returns the reading with newer definitions of tables that were read by name during it. */
    private Reading merged(Reading reading, @Nullable Reading younger) {
        return overtaken.isEmpty() || younger == null ? reading : reading.with(overtaken, younger);
    }

    private boolean defined(DefinitionCount now) {
        DefinitionCount before = count;
        return before == null || now.since(before).compareTo(DefinitionCount.Change.ROWS) > 0;
    }

    /**
     * Decides whether and when all tables are read again.
     *
     * @param underWay whether a statement of {@code counted} can still be running at the store
     */
    private void schedule(@Nullable DefinitionCount counted, boolean underWay, long began) {
        long now = System.nanoTime();
        boolean seenChanging = moved && movedNanos - began > 0;
        if (counted == null || defined(counted)) {
            count = counted;
            moved = true;
            movedNanos = now;
        }
        long since = now - movedNanos;
        moved &= since < ROUND_NANOS && (underWay || seenChanging);
        againNanos = now + Math.max(periodNanos, since);
    }

    /**
     * Reads some tables by name. Returns all tables.
     *
     * @param changed tables whose definitions changed, even if they changed back
     * @param doubted tables that may have changed
     */
    Snapshot some(CatalogRows rows, Set<TableName> changed, Set<TableName> doubted) throws ReadFailure {
        Reading before = requireNonNull(last, "nothing was read before");
        Set<TableName> names = new HashSet<>(changed);
        names.addAll(doubted);
        Reading next = confirmed(rows, reader.read(rows, names, before), before);
        known.forget(next.named(changed));
        known.doubt(next.named(doubted));
        overtaken.addAll(next.named(names));
        return taken(next);
    }

    /** Reads stored code, and the triggers of all tables. */
    Snapshot code(CatalogRows rows) throws ReadFailure {
        return taken(reader.readCode(rows, requireNonNull(last, "nothing was read before")));
    }

    /** Reads the next tables of the slow round, if due. Returns null if nothing changed. */
    @Nullable
    Snapshot turn(CatalogRows rows) throws ReadFailure {
        Reading before = last;
        if (before == null || System.nanoTime() - turnedNanos < turnNanos) {
            return null;
        }
        turnedNanos = System.nanoTime();
        TreeSet<TableName> all = new TreeSet<>(ORDER);
        all.addAll(before.tables().keySet());
        Collection<TableName> rest = turnEnd == null ? all : all.tailSet(turnEnd, false);
        List<TableName> listed = rest.stream().limit(TABLES_PER_TURN).toList();
        turnEnd = listed.size() < TABLES_PER_TURN ? null : listed.get(listed.size() - 1);
        Set<TableName> names = new HashSet<>(listed);
        // While any table is unread, a write to any table may change any other table.
        names.addAll(before.unread());
        Reading next = confirmed(rows, reader.read(rows, names, before), before);
        return next.equals(before) ? null : taken(next);
    }

    /** Confirms each difference from the last reading by a second reading. */
    private Reading confirmed(CatalogRows rows, Reading first, Reading before) throws ReadFailure {
        Set<TableName> changed = before.differences(first);
        if (changed.isEmpty()) {
            return first;
        }
        Reading second = reader.read(rows, changed, first);
        return watched(first.confirmedBy(second, changed), second);
    }

    /** Schedules another reading if tables changed during this one. Returns {@code confirmed}. */
    private Reading watched(Reading confirmed, Reading second) {
        if (confirmed.tables().size() < second.tables().size()) {
            moved = true;
            movedNanos = System.nanoTime();
            againNanos = movedNanos;
        }
        return confirmed;
    }

    private Snapshot taken(Reading next) {
        last = next;
        return known.snapshot(next);
    }
}
