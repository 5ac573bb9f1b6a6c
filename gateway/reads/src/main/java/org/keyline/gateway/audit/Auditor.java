package org.keyline.gateway.audit;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.keyline.gateway.load.LoadPool;
import org.keyline.gateway.table.CachedTable;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares a sample of hits with the store, one at a time. Confined to one event loop. */
public final class Auditor {
    /*
     * A difference does not prove that the line is wrong. A write that bypasses the gateway may
     * have changed the rows since the load. A line may lack such a write for its lifetime. This is
     * the ttl, or longer if a change signal did not report the write.
     *
     * The audit therefore waits one lifetime. Every line after this wait was loaded after the
     * audit's first read of the store. If the line still differs, but a second read of the store
     * equals the first, the line has rows that the store did not have between these reads.
     *
     * The exception is a row that changed and changed back. A flag that is set and cleared
     * continuously looks like a mismatch in one of four comparisons. So only five such comparisons
     * in a row count as a mismatch.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Auditor.class);
    private static final int CONFIRMATIONS = 5;
    private static final int SHOWN_BYTES = 64;

    private final LoadPool pool;
    private final Ticker ticker;
    private final AuditFigures figures;
    private final IntSupplier oneIn;
    /** A cache without capacity. Its tables only load the rows of an audit. */
    private final RowCache fresh;

    private int hits;
    private boolean busy;

    /** @param oneIn returns the sampling interval n (one hit in n is audited); 0 disables audits */
    public Auditor(LoadPool pool, Ticker ticker, AuditFigures figures, IntSupplier oneIn) {
        this.pool = pool;
        this.ticker = ticker;
        this.figures = figures;
        this.oneIn = oneIn;
        this.fresh = new RowCache(RowCacheOptions.of(1, 0, ticker, Runnable::run));
    }

    /** Counts a hit, and returns whether to audit it. */
    public boolean isDue() {
        int of = oneIn.getAsInt();
        if (of == 0 || ++hits < of) {
            return false;
        }
        hits = 0;
        return !busy && pool.hasSpareSession();
    }

    /** Begins to compare the rows of a key in {@code line} with the same rows of the store. */
    public void audit(CachedTable table, boolean binary, KeyEncoder key, Line line) {
        busy = true;
        figures.audited();
        new Audit(table, binary, key.toBytes(), key.cellEnd(table.prefixCells())).begin(line);
    }

    private final class Audit {
        private final CachedTable table;
        private final boolean binary;
        private final byte[] key;
        private final int prefixTo;
        private int confirmations;

        Audit(CachedTable table, boolean binary, byte[] key, int prefixTo) {
            this.table = table;
            this.binary = binary;
            this.key = key;
            this.prefixTo = prefixTo;
        }

        void begin(Line line) {
            load(stored -> {
                if (same(line, stored)) {
                    busy = false;
                } else {
                    figures.suspected();
                    waitForALifetime(stored);
                }
            });
        }

        /** Waits until all lines loaded before the audit's first read of the store have expired. */
        private void waitForALifetime(Line before) {
            long nanos = table.lines().livesNanos(ticker.read()) + 1;
            pool.loop()
                    .schedule(() -> again(before), nanos, TimeUnit.NANOSECONDS)
                    .addListener(step -> {
                        if (!step.isSuccess() && !step.isCancelled()) {
                            busy = false;
                            LOG.warn(
                                    "The audit of a hit on table {} failed and was skipped. Auditing continues.",
                                    table.schema().name(),
                                    step.cause());
                        }
                    });
        }

        private void again(Line before) {
            Line line = table.lines().find(aim(table.lines()), ticker.read());
            if (line == null || same(line, before)) {
                busy = false;
            } else {
                load(after -> compare(before, line, after));
            }
        }

        private void compare(Line before, Line line, Line after) {
            if (!same(before, after)) {
                busy = false;
            } else if (++confirmations == CONFIRMATIONS) {
                busy = false;
                convict(line, after);
            } else {
                waitForALifetime(after);
            }
        }

        private void convict(Line line, Line stored) {
            figures.mismatched();
            table.quarantine();
            LOG.error(
                    "Cached rows of table {} differ from the store. Key in hex: {}; cached {} ms ago. Number of cached"
                            + " rows: {}; start of the first in hex: {}. Number of rows in the store: {}; start of the"
                            + " first in hex: {}. Until KEYLINE FLUSH TABLE {}, all reads of this table go to the"
                            + " store. Please report it.",
                    table.schema().name(),
                    HexFormat.of().formatHex(key),
                    Duration.ofNanos(ticker.read() - line.loadBeganNanos()).toMillis(),
                    to(line) - from(line),
                    shown(line),
                    to(stored) - from(stored),
                    shown(stored),
                    table.schema().name());
        }

        /** Returns the first bytes of the first audited row in hex, for the log. */
        private String shown(Line line) {
            if (from(line) == to(line)) {
                return "none";
            }
            int offset = line.rowOffset(from(line));
            int length = Math.min(SHOWN_BYTES, line.rowLength(from(line)));
            return HexFormat.of().formatHex(line.bytes(), offset, offset + length);
        }

        private LineProbe aim(LineTable lines) {
            return new LineProbe(lines)
                    .aim(lines, binary ? CachedTable.BINARY : CachedTable.TEXT, key, 0, prefixTo, key.length);
        }

        /** Loads the audited rows again. If the load fails, the audit ends. */
        private void load(Consumer<Line> then) {
            LineTable once = fresh.table(0, table.lines().options().withTtl(Duration.ZERO));
            once.load(aim(once), pool.loader(table, binary), new LoadListener() {
                @Override
                public void loaded(Line line) {
                    fresh.retire(once);
                    then.accept(line);
                }

                @Override
                public void failed(Throwable cause) {
                    ended();
                }

                @Override
                public void declined(Decline reason) {
                    ended();
                }

                private void ended() {
                    fresh.retire(once);
                    busy = false;
                }
            });
        }

        private int from(Line line) {
            return line.first(key, prefixTo, key.length);
        }

        private int to(Line line) {
            return line.firstAfter(key, prefixTo, key.length);
        }

        private boolean same(Line a, Line b) {
            int rows = to(a) - from(a);
            boolean same = rows == to(b) - from(b);
            for (int i = 0; same && i < rows; i++) {
                int inA = a.rowOffset(from(a) + i);
                int inB = b.rowOffset(from(b) + i);
                same = Arrays.equals(
                        a.bytes(), inA, inA + a.rowLength(from(a) + i), b.bytes(), inB, inB + b.rowLength(from(b) + i));
            }
            return same;
        }
    }
}
