package org.keyline.gateway.oracle;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.TextLines;
import org.keyline.gateway.oracle.BothServers.Answer;

/**
 * Generated statements on the embedded store and on MariaDB. The store must give MariaDB's answer
 * and leave MariaDB's rows, or refuse the statement. {@code keyline.fuzz.statements} and {@code
 * keyline.fuzz.seed} ask for a longer run.
 */
@Tag("explores")
final class StatementFuzzIT {
    private static final int STATEMENTS = Integer.getInteger("keyline.fuzz.statements", 800);
    private static final long SEED = Long.getLong("keyline.fuzz.seed", 1);
    private static final int MOST_DIFFERENCES = 40;
    private static final int MAX_DEPTH = 3;

    /**
     * The numbers of errors by which the store refuses: by name, an unknown function, a column in
     * VALUES, a date or a number beyond its range, an assignment beside a query of the same table.
     * DuckDB may compute a value that MySQL does not need, and has numbers of 38 digits at most.
     */
    private static final Set<Integer> REFUSALS = Set.of(1093, 1235, 1305, 1054, 1264, 1366, 1436, 1441, 1690);

    /**
     * Errors of MariaDB for values that the store does not compute, or converts without a word, and
     * for a subquery in a row before IN.
     */
    private static final Set<Integer> STRICTER = Set.of(1235, 1292, 1365, 1441, 1690, 1916);

    private static final String TABLE = "CREATE TABLE t (k INT PRIMARY KEY, ti TINYINT DEFAULT 4, ui INT UNSIGNED"
            + " DEFAULT 9, b BIGINT, de DECIMAL(12, 3) DEFAULT 1.5, do DOUBLE, s VARCHAR(40) DEFAULT 'dflt', c CHAR(8),"
            + " da DATE, dt DATETIME)";

    private static final String ROWS = "INSERT INTO t VALUES (0, 0, 0, 0, 0, 0, '', '', '1970-01-01', '1970-01-01'),"
            + " (1, 1, 1, 1, 1.5, 2.5, 'a', 'a', '2024-02-29', '2024-02-29 12:34:56'), (2, NULL, NULL, NULL, NULL,"
            + " NULL, NULL, NULL, NULL, NULL), (3, 127, 4294967295, 9223372036854775807, 999999999.999, 1000.25, 'ABC',"
            + " 'é', '9999-12-31', '9999-12-31 23:59:59'), (4, -128, 7, -9223372036854775808, -999999999.999, -1000.25,"
            + " '12', '12abc', '1000-01-01', '1000-01-01'), (5, 1, 1, 12, 0.333, 0.1, 'a', 'b', '2023-12-31',"
            + " '2023-12-31 23:59:59')";

    private final Map<String, List<String>> grammar = new HashMap<>();
    private final List<String> differences = new ArrayList<>();
    private int refused;

    StatementFuzzIT() {
        for (String line : TextLines.of(StatementFuzzIT.class, "statements.grammar")) {
            grammar.computeIfAbsent(line.substring(0, 1), name -> new ArrayList<>())
                    .add(line.substring(2));
        }
    }

    @Test
    void statements_haveMariaDbsEffect_orAreRefused() throws Exception {
        try (BothServers servers = new BothServers()) {
            servers.run(TABLE);
            servers.run(ROWS);
            for (int i = 0; i < STATEMENTS && differences.size() < MOST_DIFFERENCES; i++) {
                Random random = new Random(SEED * 1_000_003 + i);
                int kind = random.nextInt(100);
                boolean alters = kind == 99;
                boolean same = kind < 65
                        ? query(servers, text("q", random, 0))
                        : write(servers, text(alters ? "m" : "w", random, 0));
                if (alters) {
                    servers.run("DROP TABLE t");
                    servers.run(TABLE);
                    servers.run(ROWS);
                } else if (!same || i % 25 == 0) {
                    servers.run("DELETE FROM t");
                    servers.run(ROWS);
                }
            }
        }
        System.out.println(refused + " of " + STATEMENTS + " statements were refused");
        assertThat(String.join("\n", differences)).isEmpty();
    }

    /** Returns a text of a name. Deep in a statement it needs no further names if possible. */
    private String text(String name, Random random, int depth) {
        List<String> lines = requireNonNull(grammar.get(name), name);
        String line = lines.get(random.nextInt(lines.size()));
        for (int i = 0; i < 40 && depth > MAX_DEPTH && line.contains("$"); i++) {
            line = lines.get(random.nextInt(lines.size()));
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            if (line.charAt(i) == '$') {
                i++;
                text.append(text(line.substring(i, i + 1), random, depth + 1));
            } else {
                text.append(line.charAt(i));
            }
        }
        return text.toString();
    }

    private boolean query(BothServers servers, String sql) throws SQLException {
        Answer actual = servers.ofStore(sql);
        if (REFUSALS.contains(actual.error())) {
            refused++;
            return true;
        }
        Answer expected = servers.ofMariaDb(sql);
        return STRICTER.contains(expected.error()) || same(sql, expected, actual);
    }

    private boolean write(BothServers servers, String sql) throws SQLException {
        Answer actual = servers.ofStore(sql);
        if (REFUSALS.contains(actual.error())) {
            refused++;
            return true;
        }
        Answer expected = servers.ofMariaDb(sql);
        if (STRICTER.contains(expected.error()) && actual.error() == 0) {
            return false;
        }
        // MariaDB counts an upsert of NULL by NULL as a change, and the rows that ALTER copies.
        boolean counts = !sql.contains("DUPLICATE") && !sql.startsWith("ALTER");
        if ((counts || expected.error() != 0 || actual.error() != 0) && !same(sql, expected, actual)) {
            return false;
        }
        String rows = "SELECT * FROM t ORDER BY k";
        return same(sql + "; " + rows, servers.ofMariaDb(rows), servers.ofStore(rows));
    }

    private boolean same(String sql, Answer expected, Answer actual) {
        boolean same = expected.error() == 0
                ? actual.error() == 0 && actual.rows().equals(expected.rows())
                : actual.error() != 0;
        if (!same) {
            differences.add(sql + "\n   MariaDB " + shown(expected) + "\n   store   " + shown(actual));
        }
        return same;
    }

    private static String shown(Answer answer) {
        return answer.error() != 0
                ? answer.error() + " " + answer.message()
                : answer.rows().toString();
    }
}
