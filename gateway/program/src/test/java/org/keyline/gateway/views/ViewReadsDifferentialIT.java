package org.keyline.gateway.views;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.client.StatementArguments;

/**
 * A read of a view has the bytes that MariaDB sends for a table with the same rows, in both
 * protocols.
 */
final class ViewReadsDifferentialIT {
    private static final MariaDb STORE = MariaDb.get("second");
    private static final String SCHEMA = "mirrored";
    private static final int READS = 600;
    private static final int ROWS = 25;
    private static final int SECONDS = 60;
    private static final List<String> TEXTS = List.of(
            "",
            "orders",
            "Orders",
            "ORDERS",
            "orders ",
            " orders",
            "orders_x",
            "a'b",
            "a\\b",
            "a\"b",
            "100%",
            "x_y",
            "日本");
    private static final List<String> PATTERNS =
            List.of("orders", "ORD%", "%s", "_rders", "%\\_%", "%", "", "o%r%s", "日%");
    private static final List<String> COLUMNS = List.of("id", "name", "remark", "visits", "rate", "since");
    private static final View.Asker ASKER = new View.Asker(List.of());

    private final long seed = Long.getLong("keyline.seed", 42);
    private final Random random = new Random(seed);
    private final List<List<@Nullable Object>> rows = new ArrayList<>();
    private final View visits = View.of(
            "visits",
            "id INTEGER, name TEXT, remark TEXT, visits INTEGER, rate NUMBER, since TIME",
            asker -> List.copyOf(rows));
    private final ViewReads reads = new ViewReads(Map.of("visits", visits));
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private Connection jdbc;
    private ClientConnection mariaDb;

    /** A reply: the columns, with the schema of the views, and the bytes of its rows. */
    private record SessionAnswer(List<ColumnDefinition> columns, List<String> rows) {}

    @BeforeEach
    void connect() throws Exception {
        jdbc = STORE.connect("");
        try (Statement sql = jdbc.createStatement()) {
            sql.execute("CREATE DATABASE IF NOT EXISTS " + SCHEMA);
            sql.execute(
                    "CREATE OR REPLACE TABLE " + SCHEMA
                            + ".visits (id BIGINT, name VARCHAR(8192), remark VARCHAR(64),"
                            + " visits BIGINT, rate DOUBLE, since DATETIME(3)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
        }
        mariaDb = ClientConnection.connect(
                        ClientOptions.of("127.0.0.1", STORE.port(), MariaDb.USER)
                                .password(MariaDb.PASSWORD)
                                .build(),
                        loops.next())
                .toCompletableFuture()
                .get(SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() throws SQLException {
        mariaDb.close();
        jdbc.close();
        reads.close();
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void reads_haveTheBytesOfMariaDb() throws Exception {
        for (int i = 0; i < READS; i++) {
            if (i % 20 == 0) {
                fill();
            }
            String read = statement();
            boolean binary = random.nextBoolean();
            SessionAnswer expected = ask(read.replace("keyline.", SCHEMA + "."), binary);
            ViewResult result =
                    reads.run(ViewReadsTest.read(read), ASKER, binary).get(SECONDS, TimeUnit.SECONDS);
            assertThat(result.columns()).as("seed %d: %s", seed, read).isEqualTo(expected.columns());
            assertThat(result.rows().stream().map(HexFormat.of()::formatHex))
                    .as("seed %d, %s: %s", seed, binary ? "binary" : "text", read)
                    .isEqualTo(expected.rows());
        }
    }

    private void fill() throws SQLException {
        rows.clear();
        try (Statement sql = jdbc.createStatement()) {
            sql.execute("DELETE FROM " + SCHEMA + ".visits");
        }
        try (PreparedStatement insert =
                jdbc.prepareStatement("INSERT INTO " + SCHEMA + ".visits VALUES (?, ?, ?, ?, ?, ?)")) {
            for (int id = 1; id <= ROWS; id++) {
                List<@Nullable Object> row = Rows.row(
                        id,
                        pick(TEXTS),
                        random.nextInt(4) == 0 ? null : pick(TEXTS),
                        random.nextInt(5) == 0 ? null : random.nextInt(5) * 1_000_000_007L - 1_000_000_007L,
                        random.nextInt(5) == 0 ? null : rate(),
                        random.nextInt(5) == 0 ? null : moment());
                rows.add(row);
                for (int i = 0; i < row.size(); i++) {
                    insert.setObject(i + 1, row.get(i));
                }
                insert.executeUpdate();
            }
        }
    }

    private double rate() {
        return switch (random.nextInt(5)) {
            case 0 -> random.nextInt(4);
            case 1 -> random.nextDouble() * 1e9;
            case 2 -> random.nextInt(1_000) / 1_000.0;
            // MySQL and MariaDB format numbers with more digits differently.
            case 3 -> Math.scalb(random.nextDouble(), random.nextInt(45));
            default -> 0;
        };
    }

    private String moment() {
        return Rows.time(Instant.ofEpochMilli(1_700_000_000_000L + random.nextInt(1_000) * 250L));
    }

    private String statement() {
        String alias = pick(List.of("", " v", " AS v"));
        String selected = random.nextInt(6) == 0 ? pick(List.of("COUNT(*)", "count(*) n")) : columns(alias);
        String from = "SELECT " + selected + " FROM keyline.visits" + alias;
        List<String> conditions = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            conditions.add(random.nextInt(5) == 0 ? "(" + condition() + ")" : condition());
        }
        String where = conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
        String limit = switch (random.nextInt(4)) {
            case 0 -> " LIMIT " + random.nextInt(ROWS);
            case 1 -> " LIMIT " + random.nextInt(5) + " OFFSET " + random.nextInt(ROWS);
            case 2 -> " LIMIT " + random.nextInt(5) + ", " + random.nextInt(ROWS);
            default -> "";
        };
        return from + where + (selected.startsWith("COUNT") || selected.startsWith("count") ? "" : order()) + limit;
    }

    private String columns(String alias) {
        List<String> picked = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(4); i++) {
            String column = pick(COLUMNS);
            picked.add(
                    switch (random.nextInt(6)) {
                        case 0 -> column.toUpperCase(Locale.ROOT);
                        case 1 -> "`" + column + "` AS c" + i;
                        case 2 -> (alias.isEmpty() ? "visits." : "v.") + column;
                        case 3 -> (alias.isEmpty() ? "keyline.visits." : "v.") + "*";
                        default -> column;
                    });
        }
        return String.join(", ", picked);
    }

    private String condition() {
        String not = random.nextInt(3) == 0 ? " NOT" : "";
        return switch (random.nextInt(9)) {
            case 0 -> pick(COLUMNS) + " IS" + not + " NULL";
            case 1 -> "name" + operator() + quoted(pick(TEXTS));
            case 2 -> "remark" + operator() + quoted(pick(TEXTS));
            case 3 -> "visits" + operator() + number();
            case 4 -> "rate" + operator() + number();
            case 5 -> "since" + operator() + "'" + moment() + "'";
            case 6 -> pick(List.of("name", "remark")) + not + " LIKE " + quoted(pick(PATTERNS));
            case 7 -> "remark" + not + " IN (" + quoted(pick(TEXTS)) + ", " + quoted(pick(TEXTS)) + ")";
            default -> pick(List.of("id", "visits")) + not + " BETWEEN " + number() + " AND " + number();
        };
    }

    private String number() {
        return switch (random.nextInt(5)) {
            case 0 -> "-" + random.nextInt(3) * 1_000_000_007L;
            case 1 -> random.nextInt(ROWS) + ".5";
            case 2 -> "'" + random.nextInt(ROWS) + "'";
            case 3 -> random.nextInt(3) + "e9";
            default -> Long.toString(random.nextInt(5) * 1_000_000_007L);
        };
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    private String operator() {
        return pick(List.of(" = ", " <> ", " != ", " < ", "<= ", " > ", " >="));
    }

    /** Ends with a column that is unique, so that there is one right order. */
    private String order() {
        List<String> by = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            by.add(pick(List.of("name", "remark", "visits", "rate", "since")) + direction());
        }
        by.add("id" + direction());
        return " ORDER BY " + String.join(", ", by);
    }

    private String direction() {
        return pick(List.of("", " ASC", " DESC"));
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private SessionAnswer ask(String sql, boolean binary) throws Exception {
        Collector reply = new Collector();
        if (!binary) {
            mariaDb.loop().execute(() -> mariaDb.query(sql, reply));
            return reply.received.get(SECONDS, TimeUnit.SECONDS);
        }
        Collector prepared = new Collector();
        mariaDb.loop().execute(() -> mariaDb.prepare(sql, prepared));
        prepared.received.get(SECONDS, TimeUnit.SECONDS);
        mariaDb.loop().execute(() -> mariaDb.execute(prepared.statement, new StatementArguments(), reply));
        SessionAnswer received = reply.received.get(SECONDS, TimeUnit.SECONDS);
        mariaDb.loop().execute(() -> mariaDb.closeStatement(prepared.statement));
        return received;
    }

    private static final class Collector implements ResultListener {
        private final CompletableFuture<SessionAnswer> received = new CompletableFuture<>();
        private final List<ColumnDefinition> columns = new ArrayList<>();
        private final List<String> rows = new ArrayList<>();
        private int statement;

        @Override
        public void columns(List<ColumnDefinition> definitions) {
            columns.clear();
            definitions.forEach(column -> columns.add(new ColumnDefinition(
                    column.catalog(),
                    column.schema().replace(SCHEMA, "keyline"),
                    column.table(),
                    column.orgTable(),
                    column.name(),
                    column.orgName(),
                    column.collation(),
                    // Two texts of this length exceed MariaDB's longest row.
                    column.orgName().equals("remark") ? 4 * 8192 : column.length(),
                    column.type(),
                    column.flags(),
                    column.decimals())));
        }

        @Override
        public void row(ByteBuf row) {
            rows.add(ByteBufUtil.hexDump(row));
        }

        @Override
        public void prepared(org.keyline.protocol.client.PreparedStatement prepared) {
            statement = prepared.id();
        }

        @Override
        public void end(ReplySummary summary) {
            if (summary.error() == null) {
                received.complete(new SessionAnswer(columns, rows));
            } else {
                received.completeExceptionally(
                        new AssertionError(summary.error().message()));
            }
        }

        @Override
        public void failed(Throwable cause) {
            received.completeExceptionally(cause);
        }
    }
}
