package org.keyline.gateway.warm;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.load.LoadPool;
import org.keyline.gateway.table.CachedTable;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.Loader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads lines that nobody has asked for yet, those first that were read most: on a few sessions at a time as long as no client is served, then on
 * one that rests as long as it has worked. The first load that fails, or takes too long, is the last. Confined to one event loop, but for
 * {@link #begin}, {@link #yieldToClients} and {@link #end}.
 */
final class WarmLoads {
    private static final Logger LOG = LoggerFactory.getLogger(WarmLoads.class);

    /** Single rows that one trip to the store loads. */
    private static final int MOST_TOGETHER = 64;
    /** A store that takes longer for a trip, while it has clients, has other worries. */
    private static final long TOO_LONG_NANOS = 2_000_000_000;

    /** A line to be loaded. Not to be compared. */
    @SuppressWarnings("ArrayRecordComponent")
    record Wanted(CachedTable table, byte kind, byte[] prefix) {}

    /** Lines of one table in one row format. */
    private record Source(CachedTable table, byte kind) {}

    private record Batch(Source source, List<Wanted> wanted) {}

    private final List<LoadPool> pools;
    /** Those without a trip. */
    private final ArrayDeque<LoadPool> idle;

    private final boolean together;
    private final Queue<Batch> batches;
    /** Completes with why it ended early, or an empty text. */
    private final CompletableFuture<String> done = new CompletableFuture<>();

    private boolean yields;
    private int underWay;
    private int loaded;

    /**
     * @param pools of one session each, on one loop: a pool declines loads while its sessions are being opened for others
     * @param together whether the store prefers one statement for several single rows
     */
    WarmLoads(List<LoadPool> pools, boolean together, List<Wanted> wanted) {
        this.pools = List.copyOf(pools);
        this.idle = new ArrayDeque<>(pools);
        this.together = together;
        this.batches = batches(wanted);
    }

    /** Begins to load. */
    CompletableFuture<String> begin() {
        loop().execute(() -> guarded(this::go));
        return done;
    }

    /** From now on there are clients: one session, and only half of its time. */
    void yieldToClients() {
        loop().execute(() -> guarded(() -> yields = true));
    }

    /** Loads no more. */
    void end() {
        loop().execute(() -> guarded(() -> end("the gateway stops")));
    }

    /** Lines that were loaded, or are there for another reason; to be asked for when it is done. */
    int loaded() {
        return loaded;
    }

    private EventLoop loop() {
        return pools.get(0).loop();
    }

    private Queue<Batch> batches(List<Wanted> wanted) {
        Queue<Batch> all = new ArrayDeque<>();
        Map<Source, Batch> open = new LinkedHashMap<>();
        for (Wanted line : wanted) {
            Source source = new Source(line.table(), line.kind());
            Batch batch = open.computeIfAbsent(source, of -> new Batch(of, new ArrayList<>()));
            batch.wanted().add(line);
            boolean several = together && line.table().select().ofSingleRows();
            if (batch.wanted().size() >= (several ? MOST_TOGETHER : 1)) {
                all.add(batch);
                open.remove(source);
            }
        }
        all.addAll(open.values());
        return all;
    }

    private void go() {
        while (!done.isDone() && underWay < (yields ? 1 : pools.size())) {
            Batch next = batches.poll();
            if (next == null) {
                if (underWay == 0) {
                    end("");
                }
                return;
            }
            underWay++;
            new Trip(next, idle.remove()).begin();
        }
    }

    private void end(String reason) {
        batches.clear();
        if (done.complete(reason)) {
            pools.forEach(LoadPool::close);
        }
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable bug) {
            LOG.error(
                    "Loading lines ahead failed by an error of Keyline's own, please report it. Clients load them.",
                    bug);
            end("by an error of Keyline's own");
        }
    }

    /** The loads of one batch; the pool makes one statement of them. */
    private final class Trip implements LoadListener {
        private final Batch batch;
        private final LoadPool pool;
        private final long beganNanos = System.nanoTime();
        /** One more than there are loads until all have begun: they may end at once. */
        private int missing = 1;

        private @Nullable String failure;

        Trip(Batch batch, LoadPool pool) {
            this.batch = batch;
            this.pool = pool;
        }

        void begin() {
            CachedTable table = batch.source().table();
            byte kind = batch.source().kind();
            Loader loader = pool.loader(table, kind == CachedTable.BINARY);
            LineProbe probe = new LineProbe(table.lines());
            for (Wanted line : batch.wanted()) {
                byte[] prefix = line.prefix();
                var unused = probe.aim(table.lines(), kind, prefix, 0, prefix.length, prefix.length);
                missing++;
                table.lines().load(probe, loader, this);
            }
            ended();
        }

        @Override
        public void loaded(Line line) {
            told(() -> loaded++);
        }

        @Override
        public void failed(Throwable cause) {
            told(() -> failure = "a load failed: " + cause.getMessage());
        }

        /** A write is under way there, or the table has changed: clients see to it. */
        @Override
        public void declined(Decline reason) {
            told(() -> {});
        }

        /** A client's load that was joined ends on that client's loop. */
        private void told(Runnable what) {
            Runnable step = () -> {
                what.run();
                ended();
            };
            if (loop().inEventLoop()) {
                step.run();
            } else {
                loop().execute(() -> guarded(step));
            }
        }

        private void ended() {
            if (--missing > 0) {
                return;
            }
            underWay--;
            idle.add(pool);
            long took = System.nanoTime() - beganNanos;
            if (failure != null) {
                WarmLoads.this.end(failure);
            } else if (yields && took > TOO_LONG_NANOS) {
                WarmLoads.this.end("the store took " + TimeUnit.NANOSECONDS.toMillis(took) + " ms for a load");
            } else {
                // Never from here: loads that end at once would pile up on the stack.
                var unused =
                        loop().schedule(() -> guarded(WarmLoads.this::go), yields ? took : 0, TimeUnit.NANOSECONDS);
            }
        }
    }
}
