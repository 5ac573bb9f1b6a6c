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

/** What was read of a store's definitions so far, and what has to be read next. Confined to one thread. */
final class Readings {
    /*
     * A reading of all tables costs the store up to a millisecond of its processor a table, so it is done only when the store has begun a
     * statement that defines something since the last one. Such a statement may take effect long after: once the count has moved,
     * all is read again after as much time as has gone by since, again and again, until a reading began after a moment when the count
     * was the same and nobody's statement was under way, or the slow round of all tables has come by, which goes on for ever.
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

    /** Tables that were read by name while a reading of all was under way. */
    private final Set<TableName> overtaken = new HashSet<>();

    Readings(StoreReader reader, Duration period) {
        this(reader, period, TURN);
    }

    /** @param turn how far apart turns of the slow round are, at least */
    Readings(StoreReader reader, Duration period, Duration turn) {
        this.reader = reader;
        this.periodNanos = period.toNanos();
        this.turnNanos = turn.toNanos();
    }

    /** What the operator should know by the last reading. */
    Set<String> remarks() {
        return last == null ? Set.of() : last.remarks();
    }

    /** Tables with triggers by the last reading. */
    List<TableSchema> triggered() {
        return last == null
                ? List.of()
                : last.tables().values().stream()
                        .map(ListedTable::schema)
                        .filter(table -> !table.triggers().isEmpty())
                        .toList();
    }

    /** Whether all tables have to be read, for all that the store tells by its count. */
    boolean isDue(CatalogRows rows) throws ReadFailure {
        DefinitionCount now = reader.definitionCount(rows);
        if (now == null || last == null || defined(now)) {
            return true;
        }
        return moved && System.nanoTime() - againNanos >= 0;
    }

    /** Whether all tables are going to be read again though the count has not moved. */
    boolean areRepeated() {
        return moved;
    }

    /**
     * Reads all tables.
     *
     * @param doubted whether what was known may not have held all along, even where it is read as it was
     * @return null if nothing changed
     */
    @Nullable
    Snapshot all(CatalogRows rows, boolean doubted, StoreReader.Interlude interlude) throws ReadFailure {
        long began = System.nanoTime();
        DefinitionCount counted = reader.definitionCount(rows);
        // In this order: what was counted and is not under way has taken effect before the reading.
        boolean underWay = reader.mayBeUnderWay(rows);
        overtaken.clear();
        Reading first = reader.read(rows, interlude);
        Reading before = last;
        Reading next;
        if (before == null) {
            Reading second = reader.read(rows, interlude);
            next = watched(first.confirmedBy(second), second);
        } else {
            next = confirmed(rows, kept(first, before), before);
        }
        next = kept(next, last);
        schedule(counted, underWay, began);
        if (doubted) {
            known.doubtAllBut(overtaken);
        }
        return next.equals(last) && !doubted ? null : taken(next);
    }

    /** What was read by name meanwhile is younger than what the reading has. */
    private Reading kept(Reading reading, @Nullable Reading younger) {
        return overtaken.isEmpty() || younger == null ? reading : reading.with(overtaken, younger);
    }

    private boolean defined(DefinitionCount now) {
        DefinitionCount before = count;
        return before == null || now.since(before).compareTo(DefinitionCount.Change.ROWS) > 0;
    }

    /** @param underWay whether a statement that was counted may have its effect after the reading */
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
     * Reads some tables.
     *
     * @param changed those whose definitions changed, perhaps back to what they were
     * @param doubted those of which that is not known
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

    /** Reads what statements run beside their own text, and which tables have triggers. */
    Snapshot code(CatalogRows rows) throws ReadFailure {
        return taken(reader.readCode(rows, requireNonNull(last, "nothing was read before")));
    }

    /** Reads the next few tables of the slow round; null if nothing changed, or it is not time yet. */
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
        // As long as one of these is not known, writes to any table reach everywhere.
        names.addAll(before.unread());
        Reading next = confirmed(rows, reader.read(rows, names, before), before);
        return next.equals(before) ? null : taken(next);
    }

    /** A reading whose differences to the last one were read twice. */
    private Reading confirmed(CatalogRows rows, Reading first, Reading before) throws ReadFailure {
        Set<TableName> changed = before.differences(first);
        if (changed.isEmpty()) {
            return first;
        }
        Reading second = reader.read(rows, changed, first);
        return watched(first.confirmedBy(second, changed), second);
    }

    /** What is left out since it was seen changing is to be read again soon. */
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
