package org.keyline.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.audit.AuditFigures;
import org.keyline.gateway.log.LogBudget;
import org.keyline.gateway.table.LatencyHistogram;
import org.keyline.gateway.table.MissReason;
import org.keyline.gateway.table.Statements;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.PlanCache;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.server.ServerListener;
import org.keyline.rowcache.TableStats;
import org.keyline.stores.Store;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All figures of the gateway; also counts and logs connections. Thread-safe. */
public final class GatewayMetrics implements ServerListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayMetrics.class);
    private static final int MAX_REFUSED_LINES = 5;
    private static final Duration REFUSED_PERIOD = Duration.ofSeconds(10);
    private static final String MERGED = "Merged batches of several clients' INSERTs, by outcome.";
    private static final String FORWARDS = "Statements sent to the store, by reason.";

    /** The figures of SHOW STATUS that are sums over all tables. */
    private static final Map<String, ToLongFunction<TableStats.Snapshot>> OF_TABLES = Map.ofEntries(
            Map.entry("queries", TableStats.Snapshot::queries),
            Map.entry("hits", TableStats.Snapshot::hits),
            Map.entry("absent_hits", TableStats.Snapshot::absentHits),
            Map.entry("loads", TableStats.Snapshot::loads),
            Map.entry("refreshes", TableStats.Snapshot::refreshes),
            Map.entry("load_failures", TableStats.Snapshot::loadFailures),
            Map.entry("rows_loaded", TableStats.Snapshot::rowsLoaded),
            Map.entry("bytes_loaded", TableStats.Snapshot::bytesLoaded),
            Map.entry("evictions", TableStats.Snapshot::evictions),
            Map.entry("lines", TableStats.Snapshot::lines),
            Map.entry("bytes", TableStats.Snapshot::bytes));

    private enum Outcome {
        ACCEPTED,
        REJECTED,
        DENIED,
        UNREACHABLE,
        FAILED
    }

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics gc = new JvmGcMetrics();
    private final Supplier<List<TableFigures>> tables;
    private final AuditFigures audits;
    private final Supplier<SignalFigures> signal;
    private final MemoryBudget memory;
    private volatile Supplier<TierFigures> tier = () -> TierFigures.NONE;
    private volatile @Nullable MergeFigures merges;
    private volatile @Nullable Store store;

    private final Map<CommandKind, LongAdder> commands = adders(CommandKind.class);
    private final Map<ForwardReason, LongAdder> forwards = adders(ForwardReason.class);
    private final Map<MissReason, LongAdder> misses = adders(MissReason.class);
    private final LatencyHistogram forwardTimes = new LatencyHistogram(TableStats.loadTimeBoundsNanos());
    private final LongAdder connections = new LongAdder();
    private final Map<Outcome, LongAdder> outcomes = adders(Outcome.class);
    /** Limits the log while the store is down or a client guesses passwords. */
    private final LogBudget refusedLines = new LogBudget(MAX_REFUSED_LINES, REFUSED_PERIOD);

    private final LongAdder transactionsContinued = new LongAdder();
    private final LongAdder transactionConflicts = new LongAdder();
    private final LongAdder preparedStatements = new LongAdder();
    private final Statements statements;

    /**
     * @param tables returns the counters of all tables with lines
     * @param signal returns the figures of the change signal
     * @param memory the memory that the gateway uses for its clients
     * @param statements the figures of each statement
     */
    public GatewayMetrics(
            Supplier<List<TableFigures>> tables,
            PlanCache plans,
            AuditFigures audits,
            Supplier<SignalFigures> signal,
            MemoryBudget memory,
            Statements statements) {
        this.tables = tables;
        this.statements = statements;
        this.audits = audits;
        this.signal = signal;
        this.memory = memory;
        commands.forEach(
                (kind, count) -> counter("keyline.commands", "Commands received.", "command", label(kind), count));
        forwards.forEach((reason, count) -> counter("keyline.forwards", FORWARDS, "reason", label(reason), count));
        misses.forEach(
                (reason, count) -> counter("keyline.forwards", FORWARDS, "reason", "point_" + label(reason), count));
        outcomes.forEach(
                (outcome, count) -> counter("keyline.connections", "Connections.", "outcome", label(outcome), count));
        FunctionCounter.builder("keyline.transactions.continued", transactionsContinued, LongAdder::sum)
                .description("Transactions that were answered from lines and then needed the store.")
                .register(registry);
        FunctionCounter.builder("keyline.transactions.conflicts", transactionConflicts, LongAdder::sum)
                .description("Continued transactions that got error 1213, because the store's answer differed.")
                .register(registry);
        gauge("keyline.sessions", "Connections open.", connections);
        gauge("keyline.prepared.statements", "Prepared statements of all sessions.", preparedStatements);
        Gauge.builder("keyline.plans", plans, cache -> cache.stats().plans())
                .description("Plans cached.")
                .register(registry);
        Gauge.builder("keyline.memory.bytes", memory, MemoryBudget::used)
                .description("Bytes that the gateway buffers for clients.")
                .register(registry);
        Gauge.builder("keyline.memory.limit.bytes", memory, MemoryBudget::limit)
                .description("Maximum bytes that the gateway buffers for clients.")
                .register(registry);
        audit("all", AuditFigures::audits);
        audit("suspicion", AuditFigures::suspicions);
        audit("mismatch", AuditFigures::mismatches);
        signal(
                "live",
                "1 while the change signal is live, so that cache.signalTtl applies; 0 while cache.ttl applies.",
                f -> f.live() ? 1 : 0);
        signal(
                "lag.seconds",
                "Time since the moment up to which all changes were reported.",
                SignalFigures::lagSeconds);
        signalCounter("events", "Changes received, of any table.", SignalFigures::events);
        signalCounter("row.drops", "Lines dropped because of a row.", SignalFigures::rowDrops);
        signalCounter("table.drops", "How often a table lost all its lines.", SignalFigures::tableDrops);
        signalCounter("losses", "How often all tables lost their lines.", SignalFigures::losses);
        new ClassLoaderMetrics().bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        gc.bindTo(registry);
        registry.getPrometheusRegistry().register(new TableCollector(tables, forwardTimes));
    }

    public void store(Store inFront, String version, String commit) {
        store = inFront;
        Gauge.builder("keyline.store.up", inFront, asked -> asked.isReachable() ? 1 : 0)
                .description("1 while Keyline can reach the store.")
                .register(registry);
        Gauge.builder("keyline.build.info", () -> 1)
                .description("The version and the commit that run.")
                .tag("version", version)
                .tag("commit", commit)
                .register(registry);
    }

    public void tier(Supplier<TierFigures> figures) {
        tier = figures;
        var unused = new TierMeters(registry, figures);
    }

    public void merges(MergeFigures figures) {
        merges = figures;
        counter("keyline.merged.batches", MERGED, "outcome", "committed", figures.committed());
        counter("keyline.merged.batches", MERGED, "outcome", "failed", figures.failed());
        counter("keyline.merged.batches", MERGED, "outcome", "unknown", figures.unknown());
        FunctionCounter.builder("keyline.merged.rows", figures.rows(), LongAdder::sum)
                .description("Rows of merged batches that were committed.")
                .register(registry);
    }

    public TierFigures tier() {
        return tier.get();
    }

    public void command(int code) {
        count(commands, CommandKind.of(code));
    }

    public void forwarded(ForwardReason reason) {
        count(forwards, reason);
    }

    public void missed(MissReason reason) {
        count(misses, reason);
    }

    /** Counts a transaction that was answered from lines and now needs the store. */
    public void transactionContinued() {
        transactionsContinued.increment();
    }

    /** Counts a transaction that was answered from lines, and whose rows differ at the store. */
    public void transactionConflict() {
        transactionConflicts.increment();
    }

    /** Records the time of a forwarded statement that is not a point read. */
    public void forwardTook(long nanos) {
        forwardTimes.took(nanos);
    }

    public Statements statements() {
        return statements;
    }

    public void preparedStatements(int change) {
        preparedStatements.add(change);
    }

    public Map<ForwardReason, Long> forwards() {
        return sums(ForwardReason.class, forwards);
    }

    public Map<MissReason, Long> misses() {
        return sums(MissReason.class, misses);
    }

    public String scrape() {
        return registry.scrape();
    }

    /** Returns the variables of SHOW STATUS LIKE 'keyline%'. */
    public Map<String, Long> status() {
        Map<String, Long> status = new TreeMap<>();
        List<TableFigures> counted = tables.get();
        OF_TABLES.forEach((name, figure) -> status.put(
                "Keyline_" + name,
                counted.stream().map(TableFigures::figures).mapToLong(figure).sum()));
        SignalFigures changes = signal.get();
        status.put("Keyline_signal_live", changes.live() ? 1L : 0L);
        status.put("Keyline_signal_lag_ms", Objects.requireNonNullElse(changes.lagMillis(), -1L));
        status.put("Keyline_signal_events", changes.events());
        status.put("Keyline_signal_row_drops", changes.rowDrops());
        status.put("Keyline_signal_table_drops", changes.tableDrops());
        status.put("Keyline_signal_losses", changes.losses());
        TierMeters.status(tier.get(), status);
        MergeFigures merged = merges;
        if (merged != null) {
            status.put("Keyline_merged_batches", merged.committed().sum());
            status.put("Keyline_merged_rows", merged.rows().sum());
            status.put("Keyline_merged_failed_batches", merged.failed().sum());
            status.put("Keyline_merged_unknown_batches", merged.unknown().sum());
        }
        status.put("Keyline_forwarded", sum(forwards) + sum(misses));
        status.put("Keyline_transactions_continued", transactionsContinued.sum());
        status.put("Keyline_transactions_conflicts", transactionConflicts.sum());
        status.put("Keyline_audits", audits.audits());
        status.put("Keyline_audit_mismatches", audits.mismatches());
        status.put("Keyline_sessions", connections.sum());
        status.put("Keyline_prepared_statements", preparedStatements.sum());
        status.put("Keyline_memory_bytes", memory.used());
        return status;
    }

    @Override
    public void accepted(int connectionId) {
        count(outcomes, Outcome.ACCEPTED);
        connections.increment();
    }

    @Override
    public void rejected() {
        count(outcomes, Outcome.REJECTED);
    }

    @Override
    public void denied(int connectionId, String user, String reason) {
        count(outcomes, Outcome.DENIED);
        if (logsRefusal()) {
            LOG.info("Connection {}: the login of '{}' was denied: {}", connectionId, user, reason);
        }
    }

    /** Counts a login that the outage of the store prevented. The log reports the outage once. */
    @Override
    public void unreachable(int connectionId, String reason) {
        count(outcomes, Outcome.UNREACHABLE);
        LOG.debug(
                "Connection {}: Keyline refused the login, because the store cannot be reached: {}",
                connectionId,
                reason);
        Store inFront = store;
        if (inFront != null) {
            inFront.suspect();
        }
    }

    /** Returns whether to log a refusal; logins and statements share one budget. */
    public boolean logsRefusal() {
        int unlogged = refusedLines.take(System.nanoTime());
        if (unlogged > 0) {
            LOG.info("{} more refused logins and statements were not logged", unlogged);
        }
        return unlogged != LogBudget.SPENT;
    }

    @Override
    public void closed(int connectionId) {
        connections.decrement();
    }

    @Override
    public void failed(int connectionId, Throwable cause) {
        count(outcomes, Outcome.FAILED);
        // Errors that a client causes are only counted; only errors in Keyline need a stack trace.
        if (cause instanceof ProtocolException breach && breach.code() == ErrorCode.ER_HANDSHAKE_ERROR) {
            if (logsRefusal()) {
                LOG.info("Connection {}: Keyline refused the handshake: {}", connectionId, breach.getMessage());
            }
        } else if (cause instanceof IOException
                || cause instanceof ProtocolException
                || cause instanceof DecoderException) {
            LOG.debug(
                    "Connection {} is closed after an error of its client or network: {}",
                    connectionId,
                    cause.toString());
        } else {
            LOG.warn(
                    "Connection {} failed because of an error in Keyline and is closed. Please report it.",
                    connectionId,
                    cause);
        }
    }

    @Override
    public void close() {
        gc.close();
        registry.close();
    }

    private void counter(String name, String description, String key, String value, LongAdder adder) {
        FunctionCounter.builder(name, adder, LongAdder::sum)
                .description(description)
                .tag(key, value)
                .register(registry);
    }

    private void audit(String outcome, ToDoubleFunction<AuditFigures> figure) {
        FunctionCounter.builder("keyline.audits", audits, figure)
                .description("Hits compared with the store, by outcome: all, suspicion (different), mismatch (wrong).")
                .tag("outcome", outcome)
                .register(registry);
    }

    public SignalFigures signal() {
        return signal.get();
    }

    private void signal(String name, String description, ToDoubleFunction<SignalFigures> figure) {
        Gauge.builder("keyline.signal." + name, signal, now -> figure.applyAsDouble(now.get()))
                .description(description)
                .register(registry);
    }

    private void signalCounter(String name, String description, ToDoubleFunction<SignalFigures> figure) {
        FunctionCounter.builder("keyline.signal." + name, signal, now -> figure.applyAsDouble(now.get()))
                .description(description)
                .register(registry);
    }

    private void gauge(String name, String description, LongAdder adder) {
        Gauge.builder(name, adder, LongAdder::sum).description(description).register(registry);
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static <E extends Enum<E>> long sum(Map<E, LongAdder> adders) {
        return adders.values().stream().mapToLong(LongAdder::sum).sum();
    }

    private static <E extends Enum<E>> Map<E, Long> sums(Class<E> type, Map<E, LongAdder> adders) {
        Map<E, Long> sums = new EnumMap<>(type);
        adders.forEach((constant, count) -> sums.put(constant, count.sum()));
        return sums;
    }

    private static <E extends Enum<E>> void count(Map<E, LongAdder> adders, E constant) {
        LongAdder adder = adders.get(constant);
        if (adder != null) {
            adder.increment();
        }
    }

    /** Returns a map that never changes, so that readers need no lock. */
    private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> type) {
        Map<E, LongAdder> adders = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            adders.put(constant, new LongAdder());
        }
        return adders;
    }
}
