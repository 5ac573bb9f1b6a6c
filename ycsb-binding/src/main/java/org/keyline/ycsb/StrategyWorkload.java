package org.keyline.ycsb;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
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
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.generator.NumberGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.UniformLongGenerator;
import site.ycsb.measurements.Measurements;

/**
 * The locality workload. Rows have the key (user, graph, vertex). One request reads several
 * vertices in several graphs of one user, whom a Zipfian or a uniform distribution selects.
 * Thread-safe.
 *
 * <p>A record of YCSB is one graph here. Every request is verified: each existing vertex must be
 * returned exactly once and complete, and no other vertex may be returned. No row may be older than
 * a version of it that was acknowledged or read before the request began. The workload sends its
 * own SQL over one connection per thread and does not use YCSB's {@code DB}. The operations are
 * measured as {@code INSERT}, {@code REQUEST}, {@code UPDATE} and {@code VERIFY}.
 * {@link StrategySettings} describes the properties.
 */
@SuppressWarnings("NullAway.Init") // YCSB calls init() first
public final class StrategyWorkload extends Workload {
    private static final int MAX_REPORTED_FAILURES = 20;
    private static final String COLUMNS = "`user_id`, `graph_id`, `vertex_id`, `revision`, `payload`";

    private final AtomicInteger nextGraph = new AtomicInteger();
    private final Queue<Worker> workers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failures = new AtomicInteger();
    /** The time of the start in microseconds, so that no earlier run wrote a greater revision. */
    private final long firstRevision = System.currentTimeMillis() * 1_000;

    private StrategySettings settings;
    private Target target;
    private NumberGenerator users;
    private AtomicLongArray oldestAllowed;

    /** The key of a row. */
    record Vertex(long user, long graph, long vertex) {
        /**
         * Returns the content of the row at a revision: the key, the revision, and hashes of both.
         * So a row that mixes two revisions, or belongs to another key, differs from a correct one.
         */
        String payload(long revision, int length) {
            return VerifiedWorkload.value(user + ":" + graph + ":" + vertex, "@" + revision, length);
        }
    }

    private record Row(Vertex key, long revision, String payload) {}

    /** A thread, the only one to change users with {@code number % threads == index}. */
    private static final class Worker {
        private final Target target;
        private final int index;
        private final int threads;
        private final Map<String, PreparedStatement> statements = new HashMap<>();
        private @Nullable Connection connection;

        Worker(Target target, int index, int threads) {
            this.target = target;
            this.index = index;
            this.threads = threads;
        }

        /** Prepares a statement at its first use, and binds numbers to its first parameters. */
        PreparedStatement bound(String sql, List<Long> numbers) throws SQLException {
            PreparedStatement statement = statements.get(sql);
            if (statement == null) {
                Connection open = connection == null ? target.open() : connection;
                connection = open;
                statement = open.prepareStatement(sql);
                statements.put(sql, statement);
            }
            for (int i = 0; i < numbers.size(); i++) {
                statement.setLong(i + 1, numbers.get(i));
            }
            return statement;
        }
    }

    @Override
    public void init(Properties properties) throws WorkloadException {
        settings = StrategySettings.of(properties);
        oldestAllowed = new AtomicLongArray(settings.rows());
        users = settings.skewed()
                ? new ScrambledZipfianGenerator(settings.users())
                : new UniformLongGenerator(0, settings.users() - 1);
        nextGraph.set(Integer.parseInt(properties.getProperty(INSERT_START_PROPERTY, INSERT_START_PROPERTY_DEFAULT)));
        try {
            target = Target.of(properties);
        } catch (SQLException failed) {
            throw new WorkloadException(failed);
        }
    }

    @Override
    public Object initThread(Properties properties, int mythreadid, int threadcount) {
        Worker worker = new Worker(target, mythreadid, threadcount);
        workers.add(worker);
        return worker;
    }

    @Override
    public void cleanup() throws WorkloadException {
        for (Worker worker = workers.poll(); worker != null; worker = workers.poll()) {
            try {
                if (worker.connection != null) {
                    worker.connection.close();
                }
            } catch (SQLException failed) {
                throw new WorkloadException(failed);
            }
        }
    }

    @Override
    public boolean doInsert(DB db, Object threadstate) {
        int record = nextGraph.getAndIncrement();
        List<Vertex> graph = LongStream.range(0, settings.vertices())
                .mapToObj(vertex -> new Vertex(record / settings.graphs(), record % settings.graphs(), vertex))
                .toList();
        String sql = "INSERT INTO " + table() + " (" + COLUMNS + ") VALUES (?, ?, ?, 0, ?)"
                + ", (?, ?, ?, 0, ?)".repeat(graph.size() - 1);
        return measured("INSERT", () -> {
            PreparedStatement insert = ((Worker) threadstate).bound(sql, List.of());
            int index = 1;
            for (Vertex vertex : graph) {
                for (long part : key(vertex)) {
                    insert.setLong(index++, part);
                }
                insert.setString(index++, vertex.payload(0, settings.payloadLength()));
            }
            expect(graph.size(), insert.executeUpdate());
        });
    }

    private static void expect(int rows, int changed) throws SQLException {
        if (changed != rows) {
            throw new SQLException("changed " + changed + " rows of " + rows);
        }
    }

    @Override
    public boolean doTransaction(DB db, Object threadstate) {
        Worker worker = (Worker) threadstate;
        if (ThreadLocalRandom.current().nextDouble() < settings.update()) {
            update(worker);
        } else {
            request(worker);
        }
        return true;
    }

    private void update(Worker worker) {
        Random random = ThreadLocalRandom.current();
        int zipfian = users.nextValue().intValue();
        int user = zipfian - zipfian % worker.threads + worker.index;
        if (user >= settings.users()) {
            user = worker.index;
        }
        if (user >= settings.users()) {
            request(worker); // more threads than users: this thread has no user to change
            return;
        }
        Vertex vertex = new Vertex(user, random.nextInt(settings.graphs()), random.nextInt(settings.vertices()));
        int row = rowNumber(vertex);
        // This revision is greater than any that this run or an earlier run wrote or read.
        long revision = Math.max(firstRevision, oldestAllowed.get(row)) + 1;
        String sql = "UPDATE " + table()
                + " SET `revision` = ?, `payload` = ? WHERE `user_id` = ? AND `graph_id` = ? AND `vertex_id` = ?";
        boolean updated = measured("UPDATE", () -> {
            PreparedStatement update = worker.bound(sql, List.of(revision));
            update.setString(2, vertex.payload(revision, settings.payloadLength()));
            for (int i = 0; i < 3; i++) {
                update.setLong(3 + i, key(vertex).get(i));
            }
            expect(1, update.executeUpdate());
        });
        if (updated) {
            oldestAllowed.accumulateAndGet(row, revision, Math::max);
        }
    }

    private void request(Worker worker) {
        List<List<Vertex>> reads = chooseReads();
        Map<Vertex, Long> least = new HashMap<>();
        reads.stream()
                .flatMap(List::stream)
                .filter(vertex -> vertex.vertex() < settings.vertices())
                .forEach(vertex -> least.put(vertex, oldestAllowed.get(rowNumber(vertex))));
        List<Row> rows = new ArrayList<>();
        boolean read = measured("REQUEST", () -> {
            for (List<Vertex> vertices : reads) {
                read(worker, vertices, rows);
            }
        });
        if (read) {
            verify(rows, least);
        }
    }

    /** Reads vertices of one graph by one statement. */
    private void read(Worker worker, List<Vertex> ofOneGraph, List<Row> rows) throws SQLException {
        List<Long> key = new ArrayList<>(key(ofOneGraph.get(0)));
        ofOneGraph.stream().skip(1).map(Vertex::vertex).forEach(key::add);
        String vertices =
                key.size() == 3 ? "= ?" : "IN (" + String.join(", ", Collections.nCopies(ofOneGraph.size(), "?")) + ")";
        String sql = "SELECT " + COLUMNS + " FROM " + table()
                + " WHERE `user_id` = ? AND `graph_id` = ? AND `vertex_id` " + vertices;
        try (ResultSet row = worker.bound(sql, key).executeQuery()) {
            while (row.next()) {
                Vertex read = new Vertex(row.getLong(1), row.getLong(2), row.getLong(3));
                rows.add(new Row(read, row.getLong(4), row.getString(5)));
            }
        }
    }

    /** Chooses the vertices of a request, in a list for each statement. */
    private List<List<Vertex>> chooseReads() {
        Random random = ThreadLocalRandom.current();
        long user = users.nextValue().longValue();
        List<List<Vertex>> reads = new ArrayList<>();
        for (long graph : distinct(random, settings.requestGraphs(), settings.graphs())) {
            List<Vertex> vertices = new ArrayList<>();
            int bound = Math.max(settings.vertices(), settings.requestVertices());
            for (long vertex : distinct(random, settings.requestVertices(), bound)) {
                // No vertex has a number past the graph's last vertex.
                boolean absent = random.nextDouble() < settings.absent();
                vertices.add(new Vertex(user, graph, absent ? vertex + bound : vertex));
            }
            if (settings.points()) {
                vertices.forEach(vertex -> reads.add(List.of(vertex)));
            } else {
                reads.add(vertices);
            }
        }
        return reads;
    }

    private static Set<Long> distinct(Random random, int count, int bound) {
        Set<Long> chosen = new LinkedHashSet<>();
        while (chosen.size() < count) {
            chosen.add((long) random.nextInt(bound));
        }
        return chosen;
    }

    private void verify(List<Row> rows, Map<Vertex, Long> least) {
        long began = System.nanoTime();
        boolean right = true;
        int length = settings.payloadLength();
        for (Row row : rows) {
            Long oldest = least.remove(row.key());
            if (oldest == null
                    || row.revision() < oldest
                    || !row.payload().equals(row.key().payload(row.revision(), length))) {
                right = false;
                report("wrong row: " + row.key() + " at revision " + row.revision()
                        + (oldest == null ? ", not asked for" : ", oldest allowed " + oldest));
            } else {
                oldestAllowed.accumulateAndGet(rowNumber(row.key()), row.revision(), Math::max);
            }
        }
        if (!least.isEmpty()) {
            right = false;
            report("rows missing: " + least.keySet());
        }
        Measurements measurements = Measurements.getMeasurements();
        measurements.measure("VERIFY", (int) ((System.nanoTime() - began) / 1_000));
        measurements.reportStatus("VERIFY", right ? Status.OK : Status.UNEXPECTED_STATE);
    }

    private interface Operation {
        void run() throws SQLException;
    }

    private boolean measured(String operation, Operation body) {
        Measurements measurements = Measurements.getMeasurements();
        long began = System.nanoTime();
        boolean succeeded;
        try {
            body.run();
            Ycsb.SUCCEEDED.increment();
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

    private String table() {
        return Identifiers.quoted(settings.table());
    }

    private static List<Long> key(Vertex vertex) {
        return List.of(vertex.user(), vertex.graph(), vertex.vertex());
    }

    private int rowNumber(Vertex vertex) {
        return (int) ((vertex.user() * settings.graphs() + vertex.graph()) * settings.vertices() + vertex.vertex());
    }
}
