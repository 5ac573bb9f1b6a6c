package org.keyline.planner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.statement.KeylineReader;

/**
 * Random sentences of SQL's words have a plan; none fails, and none that only reads has an effect
 * on a table.
 */
final class PlannerPropertyTest {
    private static final String[] WORDS = """
            SELECT INSERT INTO UPDATE DELETE FROM WHERE SET VALUES t c d . k k1 k2 k3 v * , ( ) = - ?
            1 'x' AND OR IN ORDER BY LIMIT OFFSET AS DESC ; BETWEEN NULL ON DUPLICATE KEY TABLE DROP
            CREATE ALTER RENAME TO WITH CASE END f KEYLINE FLUSH ROWS EXPLAIN SHOW STATUS LIKE BEGIN
            ROLLBACK @x UNION nowhere trig""".split("\\s+", -1);

    @Test
    void plan_randomSentences_neverFails() {
        TestCatalog catalog = TestCatalog.shared();
        Seeds.forEach(1, 20_000, random -> {
            StringBuilder sql = new StringBuilder(WORDS[random.nextInt(5)]);
            for (int i = random.nextInt(25); i >= 0; i--) {
                sql.append(' ').append(WORDS[random.nextInt(WORDS.length)]);
            }
            byte[] bytes = sql.toString().getBytes(UTF_8);
            Digester digester = new Digester();
            digester.digest(bytes, 0, bytes.length, SqlMode.DEFAULT);
            PlannedStatement planned = Plans.PLANNER.plan(digester, "d", catalog);
            assertThat(Plans.text(planned.plan())).isNotEmpty();
            if (planned.plan() instanceof Forward forward && forward.effect() instanceof Effect.Rows rows) {
                int slots = planned.slots();
                rows.prefixes().forEach(prefix -> assertThat(prefix).allMatch(part -> part.slot() < slots));
            }
            KeylineReader.read(digester);
        });
    }
}
