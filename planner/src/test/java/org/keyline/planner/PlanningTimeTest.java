package org.keyline.planner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;

/**
 * The longest statements that are digested, made of pieces on which parsers are slow. An event loop
 * has time for each.
 */
@Tag("explores")
final class PlanningTimeTest {
    private static final long MOST_MILLIS = 50;
    private static final int ATTEMPTS = 10;
    /** Each beginning is tried with one of so many pieces; {@code .ci/nightly} tries all. */
    private static final int ONE_OF = Integer.getInteger("keyline.planning.oneOf", 4);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long SEED = 20_261_122;

    private static final List<String> BEGINNINGS = List.of(
            "",
            "SELECT * FROM c WHERE ",
            "SELECT * FROM c WHERE k1 = ",
            "SELECT * FROM c WHERE (k1, k2) IN ((1, ",
            "SELECT * FROM c WHERE k1 = 1 ORDER BY ",
            "SELECT ",
            "SELECT * FROM ",
            "WITH ",
            "INSERT INTO c VALUES ",
            "INSERT INTO c (k1, k2) VALUES (1, 2) ON DUPLICATE KEY UPDATE ",
            "UPDATE c SET ",
            "UPDATE c SET v = 1 WHERE ",
            "DELETE FROM c WHERE k1 = ",
            "ALTER TABLE c ",
            "CREATE TABLE x (",
            "DROP TABLE ",
            "RENAME TABLE ",
            "SET ",
            "SHOW ",
            "EXPLAIN SELECT ",
            "LOAD DATA INFILE 'x' INTO TABLE c ",
            "KEYLINE FLUSH ROWS c WHERE ");

    private static final List<String> PIECES = List.of(
            "- ",
            "+ ",
            "~ ",
            "! ",
            "NOT ",
            "k1 = ",
            "k1 = 1 AND ",
            "k1 = 1 OR ",
            "AND ",
            "(",
            ")",
            "((k1, ",
            "1, ",
            "k1, ",
            "(1, 2), ",
            "k1 IN (1, ",
            "k1 IN (",
            "CASE WHEN 1 THEN ",
            "; ",
            "a.",
            ". ",
            "d.c, ",
            "d.c TO d.c, ",
            "/**/ ",
            "/*",
            "'x' ",
            "'",
            "\\\\",
            "@a := ",
            "@@a ",
            "f(",
            "f() ",
            "BETWEEN 1 AND ",
            "LIKE ",
            "` ",
            "`a` ",
            "\"a\" ",
            "SELECT ",
            "SELECT * FROM c WHERE k1 = 1; ",
            "UPDATE c SET v = 1 WHERE k1 = 1; ",
            "WITH a AS (",
            "UNION SELECT ",
            "JOIN c ",
            "* ",
            "1 ",
            "1e",
            "0x",
            "_utf8 ",
            "? ",
            "k1 IS NULL AND ",
            "v = v + ",
            "VALUES ",
            "k1 k1 ",
            "= ",
            "-- \n",
            "ADD COLUMN a INT, ",
            "PARTITION ",
            "\u00e4 ",
            "k1 = -1 AND ",
            "DESC, ",
            "AS a, ",
            "INTERVAL ",
            "EXISTS (");

    @Test
    void plan_longStatementsOfOnePiece_takesNoTime() {
        List<String> slow = new ArrayList<>();
        for (int i = 0; i < BEGINNINGS.size(); i++) {
            for (int j = i % ONE_OF; j < PIECES.size(); j += ONE_OF) {
                check(filled(BEGINNINGS.get(i), PIECES.get(j)), slow);
            }
        }
        assertThat(slow).isEmpty();
    }

    @Tag("nightly")
    @Test
    void plan_longStatementsOfTwoPieces_takesNoTime() {
        List<String> slow = new ArrayList<>();
        Seeds.forEach(
                SEED,
                150,
                random -> check(filled(one(BEGINNINGS, random), one(PIECES, random) + one(PIECES, random)), slow));
        assertThat(slow).isEmpty();
    }

    private static String one(List<String> of, SplittableRandom random) {
        return of.get(random.nextInt(of.size()));
    }

    private static String filled(String beginning, String piece) {
        int bytes = piece.getBytes(UTF_8).length;
        return beginning + piece.repeat((Digester.DEFAULT_MAX_BYTES - beginning.length()) / bytes);
    }

    /** The fastest of several attempts counts, because the compiler has to warm up. */
    private static void check(String sql, List<String> slow) {
        byte[] bytes = sql.getBytes(UTF_8);
        Digester digester = new Digester();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && best > MOST_MILLIS; i++) {
            long began = THREADS.getCurrentThreadCpuTime();
            digester.digest(bytes, 0, bytes.length, SqlMode.DEFAULT);
            Plans.PLANNER.plan(digester, "d", TestCatalog.shared());
            best = Math.min(best, (THREADS.getCurrentThreadCpuTime() - began) / 1_000_000);
        }
        if (best > MOST_MILLIS) {
            slow.add(best + " ms: " + sql.substring(0, 80));
        }
    }
}
