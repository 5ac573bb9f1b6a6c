package org.keyline.planner;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.calcite.PointReadMatcher;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.statement.StatementClassifier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** From a statement's bytes to its digest, to its cached plan, and to a new plan. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class PlanBenchmark {
    private static final TableSchema TABLE = new TableSchema(
            new TableName("d", "usertable"),
            1,
            TableModel.UNIQUE,
            List.of(
                    ColumnSchema.of("YCSB_KEY", ColumnType.of(ColumnType.Kind.VARCHAR), false),
                    ColumnSchema.of("FIELD0", ColumnType.of(ColumnType.Kind.TEXT), true)),
            List.of(0),
            List.of(0),
            "",
            Map.of());

    private static final Catalog CATALOG = new Catalog() {
        @Override
        public @Nullable TableSchema table(String schema, String table) {
            return table.equals("usertable") ? TABLE : null;
        }

        @Override
        public long version() {
            return 1;
        }
    };

    /** One key, twenty keys, or an INSERT of a kilobyte. */
    @Param({"point", "in20", "insert1k"})
    public String statement = "point";

    private final Planner planner = new Planner(List.of(new StatementClassifier(), new PointReadMatcher()));
    private final PlanCache.Lookup lookup = new PlanCache(planner, CATALOG, 1 << 20).lookup();
    private final Digester digester = new Digester();
    private byte[] sql = new byte[0];

    @Setup
    public void text() {
        String key = "'user4052466453699787802'";
        sql = switch (statement) {
            case "point" -> ("SELECT * FROM usertable WHERE YCSB_KEY = " + key).getBytes(UTF_8);
            case "in20" ->
                ("SELECT * FROM usertable WHERE YCSB_KEY IN (" + String.join(",", Collections.nCopies(20, key)) + ")")
                        .getBytes(UTF_8);
            case "insert1k" ->
                ("INSERT INTO usertable VALUES (" + key + ",'" + "x".repeat(1000) + "')").getBytes(UTF_8);
            default -> throw new IllegalArgumentException("statement: " + statement);
        };
    }

    /** After another statement. */
    @Benchmark
    public long digest() {
        forget();
        return repeated();
    }

    /** After a statement that differs in its values only. */
    @Benchmark
    public long repeated() {
        digester.digest(sql, 0, sql.length, SqlMode.DEFAULT);
        return digester.hashLow();
    }

    @Benchmark
    public PlannedStatement cachedPlan() {
        forget();
        return repeatedPlan();
    }

    @Benchmark
    public PlannedStatement repeatedPlan() {
        digester.digest(sql, 0, sql.length, SqlMode.DEFAULT);
        return lookup.plan(digester, "d");
    }

    @Benchmark
    public PlannedStatement newPlan() {
        forget();
        digester.digest(sql, 0, sql.length, SqlMode.DEFAULT);
        return planner.plan(digester, "d", CATALOG);
    }

    private void forget() {
        digester.digest(sql, 0, 0, SqlMode.DEFAULT);
    }
}
