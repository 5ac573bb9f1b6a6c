package org.keyline.gateway.read;

import org.keyline.gateway.load.LoadPool;
import org.keyline.gateway.table.CachedTable;
import org.keyline.rowcache.Ghosts;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.LineProbe;

/**
 * Measures what reads and loads would cost at other granularities, that is, if lines had another
 * number of key columns in common. Confined to one event loop.
 */
final class GranularityWatch {
    private final PointReads reads;
    private final LoadPool pool;
    private final KeyEncoder key = new KeyEncoder();
    private final KeyReader cells = new KeyReader();

    GranularityWatch(PointReads reads, LoadPool pool) {
        this.reads = reads;
        this.pool = pool;
    }

    /** Measures a read of one key or key prefix. */
    void read(CachedTable table, Ghosts ghosts, KeyEncoder asked, ReadScope scope, long nowNanos) {
        int level = ghosts.read(asked, table.lines().livesNanos(nowNanos), nowNanos);
        if (level > 0) {
            load(table, ghosts.cells(level), asked, scope);
        }
    }

    /** Measures a read of several keys as one read for each key. */
    void readAll(CachedTable table, Ghosts ghosts, TupleKeys asked, ReadScope scope, long nowNanos) {
        long ttlNanos = table.lines().livesNanos(nowNanos);
        for (int i = 0; i < asked.count(); i++) {
            int level = ghosts.read(asked.bytes(), asked.from(i), asked.to(i), cells, key, ttlNanos, nowNanos);
            if (level > 0) {
                load(table, ghosts.cells(level), key, scope);
            }
        }
    }

    /** Measures a forwarded read that binds too few key columns for the current granularity. */
    void forwarded(Read read) {
        CachedTable table = read.shape.table();
        Ghosts ghosts = table.ghosts();
        if (ghosts != null
                && read.shape.boundColumns() > 0
                && table.bind(read.plan.ranges().get(0).tuple(), read.values, key)) {
            read(table, ghosts, key, read.scope, read.cameNanos);
        }
    }

    /** Loads at another granularity to measure the cost, unless this would delay other loads. */
    private void load(CachedTable table, int prefixCells, KeyEncoder asked, ReadScope scope) {
        if (pool.hasSpareSession()) {
            CachedTable shadow = table.shadow(reads.tables().cache(), prefixCells);
            LineProbe aimed = new LineProbe(shadow.lines());
            shadow.lines().tryLoad(aimed.aim(shadow.lines(), scope.kind(), asked), pool.loader(shadow, scope.binary()));
        }
    }
}
