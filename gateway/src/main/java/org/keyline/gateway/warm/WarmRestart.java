package org.keyline.gateway.warm;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.load.LoadPool;
import org.keyline.gateway.metrics.StatementFigures;
import org.keyline.gateway.metrics.Statements;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.LoadTail.Hedging;
import org.keyline.planner.PlanCache;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.RowCache;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves what is read most, and begins with it after a restart: its statements are planned and its lines loaded before clients come. Rows come from
 * the store, and each user's first read of a statement goes there in any case: a file has neither rows nor rights. Thread-safe.
 */
public final class WarmRestart implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WarmRestart.class);

    private static final int MOST_KEYS = 50_000;
    private static final int MOST_STATEMENTS = 500;
    /** Figures cut longer texts off. */
    private static final int LONGEST_STATEMENT = 4_096;
    /** Lines of this share of the budget are saved, as a divisor: those that are read most. */
    private static final int BUDGET_PART = 4;
    /** Lines that live shorter would be over before they are asked for. */
    private static final long SHORT_LIFE_NANOS = Duration.ofSeconds(5).toNanos();

    private static final int SAVE_SECONDS = 60;
    /** What a start may take longer for all of this. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(5).toNanos();
    /** Of which planning may take so much, and waiting for the change signal. */
    private static final long PLANNING_NANOS = Duration.ofSeconds(2).toNanos();

    private static final long SIGNAL_NANOS = Duration.ofSeconds(2).toNanos();
    private static final int SIGNAL_POLL_MS = 5;

    /**
     * What it works with.
     *
     * @param own the gateway's account
     * @param signal of the store; null for none
     * @param lagNanos for how long the signal has not told that it is complete
     * @param unsettled whether all lines will be dropped again for what the signal has told
     * @param loadTimeout of one load
     * @param sessions that loads may use before there are clients
     * @param loop that serves no client
     */
    public record Parts(
            Store store,
            String url,
            SessionIdentity own,
            CachedTables tables,
            Statements statements,
            PlanCache plans,
            @Nullable ChangeSignal signal,
            LongSupplier lagNanos,
            BooleanSupplier unsettled,
            Duration loadTimeout,
            int sessions,
            EventLoop loop) {}

    private final Path file;
    private final Parts parts;
    private final ScheduledExecutorService saver = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "keyline-warm-file");
        thread.setDaemon(true);
        return thread;
    });
    private volatile @Nullable WarmLoads loads;
    private CompletableFuture<String> done = CompletableFuture.completedFuture("");
    private String told = "";

    public WarmRestart(Path file, Parts parts) {
        this.file = file;
        this.parts = parts;
    }

    // ---------------------------------------------------------------- to begin with it

    /** Begins with what the file has, for some seconds at most; the rest follows while clients are served. */
    public void restore() {
        long began = System.nanoTime();
        WarmFile.Content content = read();
        if (content != null) {
            int planned = plan(content.statements(), began);
            awaitSignal(began, false);
            List<WarmLoads.Wanted> wanted = wanted(content);
            awaitSignal(System.nanoTime(), true);
            load(wanted, planned, began);
        }
        ScheduledFuture<?> unused =
                saver.scheduleWithFixedDelay(this::save, SAVE_SECONDS, SAVE_SECONDS, TimeUnit.SECONDS);
    }

    private WarmFile.@Nullable Content read() {
        if (!Files.exists(file)) {
            LOG.info("There is no {} yet, so the cache begins empty.", file);
            return null;
        }
        try {
            WarmFile.Content content = WarmFile.read(file);
            if (content.store().equals(parts.url())) {
                return content;
            }
            LOG.warn("{} is not used: it is of the store {}. The cache begins empty.", file, content.store());
        } catch (WarmFile.Unusable e) {
            LOG.warn("{} is not used: {}. The cache begins empty.", file, e.getMessage());
        } catch (IOException e) {
            LOG.warn("{} cannot be read: {}. The cache begins empty.", file, e.toString());
        }
        return null;
    }

    private int plan(List<WarmFile.Statement> statements, long began) {
        Digester digester = new Digester(parts.store().harmlessVariables());
        PlanCache.Lookup lookup = parts.plans().lookup();
        int planned = 0;
        for (WarmFile.Statement statement : statements) {
            if (System.nanoTime() - began > PLANNING_NANOS) {
                break;
            }
            byte[] sql = statement.text().getBytes(UTF_8);
            var unused = digester.digest(sql, 0, sql.length, SqlMode.DEFAULT);
            var unusedPlan = lookup.plan(digester, statement.schema());
            planned++;
        }
        return planned;
    }

    /**
     * A change signal drops all when it begins, perhaps once more a ttl later, and a table when it first sees it: what is loaded before would
     * be for nothing.
     *
     * @param complete whether it is to tell, after that moment, that it is complete
     */
    private void awaitSignal(long since, boolean complete) {
        ChangeSignal signal = parts.signal();
        try {
            while (signal != null
                    && System.nanoTime() - since < SIGNAL_NANOS
                    && (signal.state() == ChangeSignal.State.STARTING
                            || parts.unsettled().getAsBoolean()
                            || (complete
                                    && signal.state() == ChangeSignal.State.FOLLOWING
                                    && parts.lagNanos().getAsLong() > System.nanoTime() - since))) {
                Thread.sleep(SIGNAL_POLL_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<WarmLoads.Wanted> wanted(WarmFile.Content content) {
        List<@Nullable CachedTable> known = new ArrayList<>();
        for (WarmFile.Table saved : content.tables()) {
            TableName name = saved.name();
            TableSchema schema = parts.store().catalog().table(name.schema(), name.table());
            CachedTable table = schema == null ? null : parts.tables().of(schema);
            if (table != null) {
                table = parts.tables().beginAt(table, saved.prefixCells());
            }
            boolean same = table != null && table.origin().definition().equals(saved.definition());
            if (!same) {
                LOG.info(
                        "{} is not defined as it was when {} was written: its lines are not loaded ahead.", name, file);
            }
            known.add(same ? table : null);
        }
        List<WarmLoads.Wanted> wanted = new ArrayList<>();
        for (WarmFile.Key key : content.keys()) {
            CachedTable table = key.table() >= 0 && key.table() < known.size() ? known.get(key.table()) : null;
            if (table != null) {
                wanted.add(new WarmLoads.Wanted(table, key.kind(), key.prefix()));
            }
        }
        return wanted;
    }

    private void load(List<WarmLoads.Wanted> wanted, int planned, long began) {
        LongSupplier clock = parts.tables().cache().options().ticker()::read;
        List<LoadPool> pools = new ArrayList<>();
        for (int i = 0; i < parts.sessions(); i++) {
            pools.add(new LoadPool(
                    parts.store(), parts.loop(), parts.own(), 1, parts::loadTimeout, () -> Hedging.NONE, clock));
        }
        WarmLoads begun = new WarmLoads(pools, parts.store().prefersManyKeys(), wanted);
        loads = begun;
        done = begun.begin();
        done = done.whenComplete((reason, bug) -> LOG.info(
                "{} of {} lines that were read most before were loaded ahead{}, and {} statements planned.",
                begun.loaded(),
                wanted.size(),
                reason.isEmpty() ? "" : " (" + reason + ")",
                planned));
        try {
            var unused = done.get(PATIENCE_NANOS - (System.nanoTime() - began), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            LOG.info(
                    "The lines that were read most before are not all loaded yet; the rest follows while clients are served.");
            begun.yieldToClients();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the end of loads is always told", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---------------------------------------------------------------- to save

    /** Saves what is read most, unless what was saved before has not all been loaded yet, or nothing has been read. */
    public synchronized void save() {
        try {
            WarmFile.Content content = content();
            if (!done.isDone()
                    || (content.keys().isEmpty() && content.statements().isEmpty())) {
                return;
            }
            WarmFile.write(file, content);
            told = "";
        } catch (IOException e) {
            // Once a minute would be too often.
            if (!told.equals(e.toString())) {
                told = e.toString();
                LOG.warn("{} cannot be written: {}. The next start begins with what it has.", file, told);
            }
        } catch (RuntimeException e) {
            LOG.error("What is read most could not be saved by an error of Keyline's own, please report it.", e);
        }
    }

    private WarmFile.Content content() {
        List<WarmFile.Statement> statements = parts.statements().all().stream()
                .filter(figures ->
                        figures.hits() + figures.loads() > 0 && figures.text().length() < LONGEST_STATEMENT)
                .sorted(Comparator.comparingLong(StatementFigures::hits).reversed())
                .limit(MOST_STATEMENTS)
                .map(figures -> new WarmFile.Statement(figures.schema(), figures.text()))
                .toList();
        Map<LineTable, CachedTable> lived = new HashMap<>();
        for (TableName name : parts.tables().names()) {
            CachedTable table = parts.tables().known(name);
            if (table != null && livesLong(table.lines())) {
                lived.put(table.lines(), table);
            }
        }
        Map<LineTable, Integer> positions = new LinkedHashMap<>();
        List<WarmFile.Table> tables = new ArrayList<>();
        List<WarmFile.Key> keys = new ArrayList<>();
        RowCache cache = parts.tables().cache();
        cache.hottest(MOST_KEYS, cache.maxBytes() / BUDGET_PART, (lines, line) -> {
            CachedTable table = lived.get(lines);
            if (table != null) {
                int position = positions.computeIfAbsent(lines, added -> {
                    tables.add(new WarmFile.Table(
                            table.schema().name(),
                            table.prefixCells(),
                            table.origin().definition()));
                    return positions.size();
                });
                keys.add(new WarmFile.Key(position, line.kind(), line.prefix()));
            }
        });
        return new WarmFile.Content(parts.url(), statements, tables, keys);
    }

    private boolean livesLong(LineTable lines) {
        ChangeSignal signal = parts.signal();
        boolean vouched = signal != null && signal.state() == ChangeSignal.State.FOLLOWING;
        long life = (vouched ? lines.options().vouchedTtl() : lines.options().ttl()).toNanos();
        return life >= SHORT_LIFE_NANOS;
    }

    /** Saves nothing more, and loads nothing more. */
    @Override
    public void close() {
        saver.shutdownNow();
        if (loads != null) {
            loads.end();
        }
    }
}
