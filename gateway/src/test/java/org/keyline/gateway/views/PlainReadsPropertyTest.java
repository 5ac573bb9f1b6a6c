package org.keyline.gateway.views;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.keyline.planner.statement.KeylineViews;

/** Plain reads of views, which go without the embedded store, are answered with the same bytes as it gives. */
final class PlainReadsPropertyTest {
    private static final int READS = 400;
    private static final int ROWS = 25;
    private static final int PROTOCOLS = 2;
    private static final List<String> TEXTS = List.of(
            "",
            "orders",
            "Orders",
            "ORDERS",
            "orders ",
            " orders",
            "a'b",
            "a\\b",
            "a\"b",
            "100%",
            "x_y",
            "SELECT `v` = ?");
    private static final List<String> OTHER_TEXTS = List.of("größe", "Größe", "grosse", "日本", "e\u0301");
    private static final List<String> COLUMNS = List.of("id", "name", "remark", "visits", "rate", "since");
    private static final View.Asker ASKER = new View.Asker(List.of());

    private final long seed = Long.getLong("keyline.seed", 42);
    private final Random random = new Random(seed);
    private final List<List<@Nullable Object>> rows = new ArrayList<>();
    private final View visits = View.of(
            "visits",
            asker -> List.copyOf(rows),
            "id INTEGER",
            "name TEXT",
            "remark TEXT",
            "visits INTEGER",
            "rate NUMBER",
            "since TIME");
    private final Map<String, View> views = Map.of("visits", visits);
    private final PlainScans scans = new PlainScans(views);
    private final EmbeddedEngine engine = new EmbeddedEngine(views);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void plainReads_haveTheBytesOfTheEmbeddedStore() {
        int plain = 0;
        for (int i = 0; i < READS; i++) {
            if (i % 20 == 0) {
                fill(i % 40 == 0);
            }
            String select = "SELECT " + columns() + " FROM keyline.visits";
            String conditions = conditions();
            String order = order();
            String told = conditions.isEmpty() ? select + order : select + " WHERE " + conditions + order;
            // The same, but not plain.
            String full = select + " WHERE 1 = 1" + (conditions.isEmpty() ? "" : " AND " + conditions) + order;
            boolean binary = i % PROTOCOLS == 1;
            ViewResult scanned = scans.runExactly(read(told), ASKER, binary);
            assertThat(scans.runExactly(read(full), ASKER, binary)).as(full).isNull();
            if (scanned == null) {
                continue;
            }
            plain++;
            ViewResult there =
                    engine.run(read(full), ASKER, binary).toCompletableFuture().join();
            assertThat(scanned.columns()).as("seed %d: %s", seed, told).isEqualTo(there.columns());
            assertThat(bytes(scanned)).as("seed %d: %s", seed, told).isEqualTo(bytes(there));
            ViewResult described = Objects.requireNonNull(scans.describeExactly(read(told)));
            assertThat(described.columns())
                    .as("seed %d: %s", seed, told)
                    .isEqualTo(engine.describe(read(full))
                            .toCompletableFuture()
                            .join()
                            .columns());
        }
        assertThat(plain).isGreaterThan(READS / 2);
    }

    private void fill(boolean others) {
        rows.clear();
        for (int id = 1; id <= ROWS; id++) {
            rows.add(Rows.row(
                    id,
                    text(others),
                    random.nextInt(4) == 0 ? null : text(false),
                    random.nextInt(5) == 0 ? null : random.nextInt(5) * 1_000_000_007L,
                    random.nextInt(5) == 0 ? null : rate(),
                    Rows.time(Instant.ofEpochMilli(1_700_000_000_000L + random.nextInt(1_000) * 37L))));
        }
    }

    private String text(boolean others) {
        return others && random.nextInt(4) == 0 ? pick(OTHER_TEXTS) : pick(TEXTS);
    }

    private double rate() {
        return switch (random.nextInt(5)) {
            case 0 -> random.nextInt(4);
            case 1 -> random.nextDouble() * 1e9;
            case 2 -> random.nextInt(1_000) / 1_000.0;
            case 3 -> Math.scalb(random.nextDouble(), random.nextInt(60));
            default -> 0;
        };
    }

    private String columns() {
        if (random.nextInt(6) == 0) {
            return "*";
        }
        List<String> picked = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(4); i++) {
            String column = pick(COLUMNS);
            picked.add(
                    switch (random.nextInt(4)) {
                        case 0 -> column.toUpperCase(Locale.ROOT);
                        case 1 -> "`" + column + "`";
                        default -> column;
                    });
        }
        return String.join(", ", picked);
    }

    private String conditions() {
        List<String> conditions = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            conditions.add(
                    switch (random.nextInt(5)) {
                        case 0 -> "name = " + ViewRead.quoted(pick(TEXTS));
                        case 1 -> "remark = " + ViewRead.quoted(pick(TEXTS));
                        case 2 -> "visits" + operator() + random.nextInt(5) * 1_000_000_007L;
                        case 3 -> "rate" + operator() + random.nextInt(4);
                        default -> "id" + operator() + random.nextInt(ROWS);
                    });
        }
        return String.join(" AND ", conditions);
    }

    private String operator() {
        return pick(List.of(" = ", " < ", "<= ", " > ", " >="));
    }

    /** Ends by what no two rows share, so that there is one right order. */
    private String order() {
        List<String> by = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            by.add(pick(List.of("visits", "rate", "since")) + direction());
        }
        String limit = random.nextBoolean() ? "" : " LIMIT " + random.nextInt(ROWS);
        return " ORDER BY "
                + String.join("", by.stream().map(each -> each + ", ").toList()) + "id" + direction() + limit;
    }

    private String direction() {
        return pick(List.of("", " ASC", " DESC"));
    }

    private String pick(List<String> from) {
        return from.get(random.nextInt(from.size()));
    }

    private static ViewRead read(String sql) {
        return new ViewRead(sql, Objects.requireNonNull(KeylineViews.read(sql)));
    }

    private static List<String> bytes(ViewResult result) {
        return result.rows().stream().map(HexFormat.of()::formatHex).toList();
    }
}
