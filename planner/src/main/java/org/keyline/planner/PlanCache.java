package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.stats.CacheStats;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.Outcome;
import org.keyline.planner.digest.SqlMode;

/**
 * A cache of plans by normalised text, current schema and SQL mode. A point read is valid until its
 * table's definition changes. Any other plan is valid until the catalog's version changes.
 * Thread-safe; each thread uses its own {@link Lookup}.
 */
public final class PlanCache {
    /*
     * The hash of a key is the hash of its digest; equality compares the normalised text byte by
     * byte. A lookup uses a mutable key that borrows the digester's buffer, so that a hit allocates
     * nothing. The catalog's version is read before the plan is made, so a plan made while a
     * definition changes belongs to the old version and is replaced.
     *
     * Statistics use the identity of a PlannedStatement as their key. While a point read's table is
     * unknown, the statement has another plan. The entry retains the point read's plan as well, so
     * that its statistics continue afterwards.
     */

    /** Estimated bytes of an entry's key, plan and cache node, without the texts. */
    static final int ENTRY_BYTES = 1024;

    private static final int RANGE_BYTES = 96;
    private static final int BOUND_BYTES = 48;

    private final Planner planner;
    private final Catalog catalog;
    private final Cache<Key, Entry> plans;

    public PlanCache(Planner planner, Catalog catalog, long maxBytes) {
        this.planner = requireNonNull(planner, "planner is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.plans = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher(PlanCache::weigh)
                .executor(Runnable::run)
                .recordStats()
                .build();
    }

    private static int weigh(Key key, Entry entry) {
        PlannedStatement planned = entry.now.planned();
        int ranges = 0;
        if (planned.plan() instanceof PointRead read) {
            for (KeyRange range : read.ranges()) {
                ranges += RANGE_BYTES + BOUND_BYTES * range.bounds().size();
            }
        }
        return ENTRY_BYTES + 3 * planned.text().length() + ranges;
    }

    public Lookup lookup() {
        return new Lookup();
    }

    /** Sets the budget in bytes. Evicts plans above the budget before it returns. */
    public void maxBytes(long bytes) {
        plans.policy().eviction().ifPresent(eviction -> eviction.setMaximum(bytes));
    }

    public void clear() {
        plans.invalidateAll();
    }

    /**
     * Returns the statistics. {@code plans} and {@code bytes} are current; the rest are counts
     * since the start.
     */
    public Stats stats() {
        plans.cleanUp();
        CacheStats stats = plans.stats();
        long bytes = plans.policy()
                .eviction()
                .map(eviction -> eviction.weightedSize().orElse(0))
                .orElse(0L);
        return new Stats(plans.estimatedSize(), bytes, stats.hitCount(), stats.missCount(), stats.evictionCount());
    }

    public record Stats(long plans, long bytes, long hits, long misses, long evictions) {}

    /** Looks up plans. Confined to one thread. */
    public final class Lookup {
        private final Probe probe = new Probe();

        private Lookup() {}

        /**
         * Returns the plan of the digester's last statement, and creates it if it is not cached.
         *
         * @param currentSchema the session's database; empty if none is selected
         */
        public PlannedStatement plan(Digester digested, String currentSchema) {
            if (digested.outcome() != Outcome.DIGESTED) {
                return planner.plan(digested, currentSchema, catalog);
            }
            long version = catalog.version();
            Entry entry = plans.getIfPresent(aim(digested, currentSchema));
            if (entry == null) {
                return make(digested, currentSchema, version);
            }
            Versioned now = entry.now;
            return now.version() == version ? now.planned() : renew(entry, digested, currentSchema, version);
        }

        /** Returns the cached plan; null if none is valid. Does not affect eviction. */
        public @Nullable PlannedStatement known(Digester digested, String currentSchema) {
            if (digested.outcome() != Outcome.DIGESTED) {
                return null;
            }
            Entry entry = plans.policy().getIfPresentQuietly(aim(digested, currentSchema));
            Versioned now = entry == null ? null : entry.now;
            return now != null && now.version() == catalog.version() ? now.planned() : null;
        }

        private Key aim(Digester digested, String currentSchema) {
            probe.digested = digested;
            probe.hashHigh = digested.hashHigh();
            probe.hashLow = digested.hashLow();
            probe.schema = currentSchema;
            return probe;
        }

        private PlannedStatement make(Digester digested, String currentSchema, long version) {
            Text key = new Text(digested, currentSchema);
            PlannedStatement planned = planner.plan(digested, currentSchema, catalog);
            Entry earlier = plans.asMap().putIfAbsent(key, new Entry(Versioned.first(planned, version)));
            return earlier != null ? renew(earlier, digested, currentSchema, version) : planned;
        }

        private PlannedStatement renew(Entry entry, Digester digested, String currentSchema, long version) {
            PlannedStatement read = entry.now.read();
            PointRead plan = read == null ? null : read.anyRead();
            boolean holds = plan != null && isSame(plan.table());
            return entry.take(holds && read != null ? read : planner.plan(digested, currentSchema, catalog), version);
        }

        /** Returns whether the catalog still has this very object, so that its plans are valid. */
        @SuppressWarnings("ReferenceEquality")
        private boolean isSame(TableSchema table) {
            return catalog.table(table.name().schema(), table.name().table()) == table;
        }
    }

    /** @param read the last plan that was a point read for some values; null if there was none */
    private record Versioned(
            PlannedStatement planned,
            long version,
            @Nullable PlannedStatement read) {
        static Versioned first(PlannedStatement planned, long version) {
            return new Versioned(planned, version, planned.anyRead() != null ? planned : null);
        }
    }

    private static final class Entry {
        volatile Versioned now;

        Entry(Versioned first) {
            now = first;
        }

        /** Stores the plan if its version is newer. Returns the plan of this version. */
        synchronized PlannedStatement take(PlannedStatement planned, long version) {
            Versioned before = now;
            if (before.version() == version) {
                return before.planned();
            }
            if (before.version() < version) {
                Versioned first = Versioned.first(planned, version);
                now = first.read() != null ? first : new Versioned(planned, version, before.read());
            }
            return planned;
        }
    }

    /** A key of the cache. A {@link Probe} equals a {@link Text} of the same content. */
    private abstract static sealed class Key permits Text, Probe {
        long hashHigh;
        long hashLow;
        String schema = "";

        abstract SqlMode mode();

        abstract boolean textEquals(Text entry);

        @Override
        public final int hashCode() {
            return Long.hashCode(hashLow) + 31 * schema.hashCode();
        }

        @Override
        public final boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            if (!(other instanceof Key key)
                    || hashLow != key.hashLow
                    || hashHigh != key.hashHigh
                    || !schema.equals(key.schema)
                    || !mode().equals(key.mode())) {
                return false;
            }
            return key instanceof Text entry ? textEquals(entry) : this instanceof Text text && key.textEquals(text);
        }
    }

    private static final class Text extends Key {
        private final byte[] normalised;
        private final SqlMode mode;

        Text(Digester digested, String schema) {
            this.normalised = digested.normalisedBytes();
            this.mode = digested.mode();
            this.hashHigh = digested.hashHigh();
            this.hashLow = digested.hashLow();
            this.schema = schema;
        }

        @Override
        SqlMode mode() {
            return mode;
        }

        @Override
        boolean textEquals(Text entry) {
            return Arrays.equals(normalised, entry.normalised);
        }
    }

    private static final class Probe extends Key {
        private @Nullable Digester digested;

        @Override
        SqlMode mode() {
            return digested == null ? SqlMode.DEFAULT : digested.mode();
        }

        @Override
        boolean textEquals(Text entry) {
            return digested != null && digested.normalisedEquals(entry.normalised);
        }
    }
}
