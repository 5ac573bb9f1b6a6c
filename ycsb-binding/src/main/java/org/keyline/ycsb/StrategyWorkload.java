package org.keyline.ycsb;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.keyline.ycsb.StrategyConnection.Row;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.generator.NumberGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.UniformLongGenerator;
import site.ycsb.measurements.Measurements;

/**
 * The locality case: rows keyed (user, graph, vertex). One request reads several vertices in
 * several graphs of one user; users are drawn by a Zipfian or a uniform distribution. Thread-safe.
 *
 * <p>A record of YCSB is one graph here. Every request is verified: each existing vertex must be
 * returned exactly once and complete, and no other vertex may be returned. No row may be older than
 * one that was acknowledged or read before the request began. The workload sends its own SQL over
 * one connection per thread and does not use YCSB's {@code DB}. The operations are measured as
 * {@code INSERT}, {@code REQUEST}, {@code UPDATE} and {@code VERIFY}. {@link StrategySettings}
 * describes the properties.
 */
public final class StrategyWorkload extends Workload {
    private static final int MAX_REPORTED_FAILURES = 20;

    private final AtomicInteger nextGraph = new AtomicInteger();
    private final Queue<StrategyConnection> connections = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failures = new AtomicInteger();
    private @Nullable Running running;

    private record Running(
            StrategySettings settings,
            Target target,
            Measurements measurements,
            NumberGenerator users,
            AtomicLongArray oldestAllowed,
            long firstRevision) {}

    /** A thread. It alone changes users whose number modulo {@code threads} is {@code index}. */
    private record Worker(StrategyConnection connection, int index, int threads, List<Row> rows) {}

    @Override
    public void init(Properties properties) throws WorkloadException {
        StrategySettings settings = StrategySettings.of(properties);
        nextGraph.set(Integer.parseInt(properties.getProperty(INSERT_START_PROPERTY, INSERT_START_PROPERTY_DEFAULT)));
        try {
            running = new Running(
                    settings,
                    Target.of(properties),
                    Measurements.getMeasurements(),
                    settings.skewed()
                            ? new ScrambledZipfianGenerator(settings.users())
                            : new UniformLongGenerator(0, settings.users() - 1),
                    new AtomicLongArray(settings.rows()),
                    System.currentTimeMillis() * 1_000);
        } catch (SQLException failed) {
            throw new WorkloadException(failed);
        }
    }

    @Override
    public Object initThread(Properties properties, int mythreadid, int threadcount) {
        Running now = running();
        StrategyConnection connection =
                new StrategyConnection(now.target(), now.settings().table());
        connections.add(connection);
        return new Worker(connection, mythreadid, threadcount, new ArrayList<>());
    }

    @Override
    public void cleanup() throws WorkloadException {
        try {
            for (StrategyConnection connection = connections.poll();
                    connection != null;
                    connection = connections.poll()) {
                connection.close();
            }
        } catch (SQLException failed) {
            throw new WorkloadException(failed);
        }
    }

    @Override
    public boolean doInsert(DB db, Object threadstate) {
        StrategySettings settings = running().settings();
        int record = nextGraph.getAndIncrement();
        List<Vertex> graph = LongStream.range(0, settings.vertices())
                .mapToObj(vertex -> new Vertex(record / settings.graphs(), record % settings.graphs(), vertex))
                .toList();
        return measured("INSERT", () -> ((Worker) threadstate).connection().insert(graph, settings.payloadLength()));
    }

    @Override
    public boolean doTransaction(DB db, Object threadstate) {
        Worker worker = (Worker) threadstate;
        if (ThreadLocalRandom.current().nextDouble() < running().settings().update()) {
            update(worker);
        } else {
            request(worker);
        }
        return true;
    }

    private void update(Worker worker) {
        Running now = running();
        StrategySettings settings = now.settings();
        Random random = ThreadLocalRandom.current();
        int zipfian = now.users().nextValue().intValue();
        int user = zipfian - zipfian % worker.threads() + worker.index();
        if (user >= settings.users()) {
            user = worker.index();
        }
        if (user >= settings.users()) {
            request(worker); // more threads than users: this thread has no user to change
            return;
        }
        Vertex vertex = new Vertex(user, random.nextInt(settings.graphs()), random.nextInt(settings.vertices()));
        int row = rowNumber(vertex);
        // This revision is greater than any that this run or an earlier run wrote or read.
        long revision = Math.max(now.firstRevision(), now.oldestAllowed().get(row)) + 1;
        if (measured("UPDATE", () -> worker.connection().update(vertex, revision, settings.payloadLength()))) {
            now.oldestAllowed().accumulateAndGet(row, revision, Math::max);
        }
    }

    private void request(Worker worker) {
        Running now = running();
        List<List<Vertex>> graphs = chooseGraphs();
        Map<Vertex, Long> oldestAllowed = new HashMap<>();
        for (List<Vertex> graph : graphs) {
            for (Vertex vertex : graph) {
                if (exists(vertex)) {
                    oldestAllowed.put(vertex, now.oldestAllowed().get(rowNumber(vertex)));
                }
            }
        }
        List<Row> rows = worker.rows();
        rows.clear();
        if (measured("REQUEST", () -> read(worker.connection(), graphs, rows))) {
            verify(rows, oldestAllowed);
        }
    }

    private void read(StrategyConnection connection, List<List<Vertex>> graphs, List<Row> rows) throws SQLException {
        switch (running().settings().shape()) {
            case POINT -> {
                for (List<Vertex> graph : graphs) {
                    for (Vertex vertex : graph) {
                        connection.readPoint(vertex, rows::add);
                    }
                }
            }
            case IN -> {
                for (List<Vertex> graph : graphs) {
                    connection.readGraph(graph, rows::add);
                }
            }
            case TUPLES ->
                connection.readTuples(graphs.stream().flatMap(List::stream).toList(), rows::add);
        }
    }

    private List<List<Vertex>> chooseGraphs() {
        Running now = running();
        StrategySettings settings = now.settings();
        Random random = ThreadLocalRandom.current();
        long user = now.users().nextValue().longValue();
        List<List<Vertex>> graphs = new ArrayList<>(settings.requestGraphs());
        for (long graph : distinct(random, settings.requestGraphs(), settings.graphs())) {
            List<Vertex> vertices = new ArrayList<>(settings.requestVertices());
            int bound = Math.max(settings.vertices(), settings.requestVertices());
            for (long vertex : distinct(random, settings.requestVertices(), bound)) {
                // No vertex has a number past the graph's last vertex.
                boolean absent = random.nextDouble() < settings.absent();
                vertices.add(new Vertex(user, graph, absent ? vertex + bound : vertex));
            }
            graphs.add(vertices);
        }
        return graphs;
    }

    private static Set<Long> distinct(Random random, int count, int bound) {
        Set<Long> chosen = new LinkedHashSet<>();
        while (chosen.size() < count) {
            chosen.add((long) random.nextInt(bound));
        }
        return chosen;
    }

    private void verify(List<Row> rows, Map<Vertex, Long> oldestAllowed) {
        Running now = running();
        long began = System.nanoTime();
        boolean right = true;
        for (Row row : rows) {
            Long oldest = oldestAllowed.remove(row.key());
            if (oldest == null
                    || row.revision() < oldest
                    || !row.payload()
                            .equals(row.key()
                                    .payload(row.revision(), now.settings().payloadLength()))) {
                right = false;
                report("wrong row: " + row.key() + " at revision " + row.revision()
                        + (oldest == null ? ", not asked for" : ", oldest allowed " + oldest));
            } else {
                now.oldestAllowed().accumulateAndGet(rowNumber(row.key()), row.revision(), Math::max);
            }
        }
        if (!oldestAllowed.isEmpty()) {
            right = false;
            report("rows missing: " + oldestAllowed.keySet());
        }
        now.measurements().measure("VERIFY", (int) ((System.nanoTime() - began) / 1_000));
        now.measurements().reportStatus("VERIFY", right ? Status.OK : Status.UNEXPECTED_STATE);
    }

    private interface Operation {
        void run() throws SQLException;
    }

    private boolean measured(String operation, Operation body) {
        Measurements measurements = running().measurements();
        long began = System.nanoTime();
        boolean succeeded;
        try {
            body.run();
            succeeded = true;
        } catch (SQLException failed) {
            report(operation + ": error " + failed.getErrorCode() + " (" + failed.getSQLState() + "): "
                    + failed.getMessage());
            succeeded = false;
        }
        int micros = (int) ((System.nanoTime() - began) / 1_000);
        measurements.measure(succeeded ? operation : operation + "-FAILED", micros);
        measurements.reportStatus(operation, succeeded ? Status.OK : Status.ERROR);
        return succeeded;
    }

    private void report(String problem) {
        if (failures.getAndIncrement() < MAX_REPORTED_FAILURES) {
            System.err.println(problem);
        }
    }

    private boolean exists(Vertex vertex) {
        return vertex.vertex() < running().settings().vertices();
    }

    private int rowNumber(Vertex vertex) {
        StrategySettings settings = running().settings();
        return (int) ((vertex.user() * settings.graphs() + vertex.graph()) * settings.vertices() + vertex.vertex());
    }

    private Running running() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("not initialised");
        }
        return now;
    }
}
