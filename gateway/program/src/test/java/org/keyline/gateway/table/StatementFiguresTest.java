package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class StatementFiguresTest {
    private final Statements statements = new Statements();

    @Test
    void ofTheSameTextAndSchema_areTheSame() {
        StatementFigures one = statements.of("shop", "SELECT ?");
        assertThat(statements.of("shop", "SELECT ?")).isSameAs(one);
        assertThat(statements.of("bank", "SELECT ?")).isNotSameAs(one);
    }

    @Test
    void tooMany_thoseOfTheLeastTimeGiveWayAndNothingIsLost() {
        int all = 10 * Statements.MOST;
        for (int i = 0; i < all; i++) {
            statements
                    .of("shop", "SELECT " + i)
                    .forwarded("SQL", i < Statements.MOST / 2 ? 1_000_000 : 1_000, 2, false);
        }
        assertThat(statements.all()).hasSizeLessThanOrEqualTo(Statements.MOST + Statements.ROOM + 1);
        assertThat(statements.all().stream().mapToLong(StatementFigures::count).sum())
                .isEqualTo(all);
        assertThat(statements.all().stream().mapToLong(StatementFigures::rows).sum())
                .isEqualTo(2L * all);
        for (int i = 0; i < Statements.MOST / 2; i++) {
            assertThat(statements.of("shop", "SELECT " + i).count())
                    .as("slow one")
                    .isEqualTo(1);
        }
    }

    @Test
    void folded_isKnownToWhoeverHoldsIt() {
        StatementFigures held = statements.of("shop", "SELECT held");
        held.hit(System.nanoTime());
        for (int i = 0; i < 2 * Statements.MOST; i++) {
            statements.of("shop", "SELECT " + i).loaded(5_000, 1);
        }
        assertThat(held.isFolded()).isTrue();
        assertThat(statements.of("shop", "SELECT held")).isNotSameAs(held);
    }

    @Test
    void times_areUpperBoundsWithinAFourth() {
        StatementFigures figures = statements.of("", "");
        for (int i = 1; i <= 1_000; i++) {
            figures.forwarded("SQL", i * 1_000L, 1, i == 1);
        }
        assertThat(figures.micros(0.5)).isBetween(500.0, 625.0);
        assertThat(figures.micros(0.99)).isBetween(990.0, 1_240.0);
        assertThat(figures.longestMicros()).isEqualTo(1_000);
        assertThat(figures.errors()).isEqualTo(1);
        assertThat(figures.forwards()).isEqualTo(Map.of("SQL", 1_000L));
        figures.timedHit(2_000, 64_000, 3);
        assertThat(figures.micros(0.5)).isBetween(2.0, 2.5);
    }

    /** The two texts have the same String.hashCode(). */
    @Test
    void digest_differsByTextAndBySchema() {
        assertThat("SELECT `Aa` FROM `t`".hashCode()).isEqualTo("SELECT `BB` FROM `t`".hashCode());
        assertThat(Stream.of(
                                statements.of("a", "SELECT `Aa` FROM `t`"),
                                statements.of("a", "SELECT `BB` FROM `t`"),
                                statements.of("b", "SELECT `Aa` FROM `t`"))
                        .map(StatementFigures::digest))
                .doesNotHaveDuplicates()
                .allMatch(digest -> digest.matches("[0-9a-f]{32}"));
    }

    /** Otherwise, the texts of one client could fill a large part of the heap. */
    @Test
    void longTexts_areNotRetained() {
        List<WeakReference<String>> texts = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String text = "SELECT `a` ".repeat(1_000) + i;
            StatementFigures figures = statements.of("a", text);
            assertThat(statements.of("a", text)).isSameAs(figures);
            assertThat(statements.find("a", text)).isSameAs(figures);
            texts.add(new WeakReference<>(text));
        }
        assertThat(statements.all()).hasSize(11);
        soon("the collection of the texts").until(() -> {
            System.gc();
            return texts.stream().allMatch(text -> text.get() == null);
        });
    }

    /** Figures store only the beginning of a long text. */
    @Test
    void digest_isThatOfTheWholeText() {
        String begin = "SELECT `a` ".repeat(1_000);
        assertThat(statements.of("a", begin + "1").digest())
                .isNotEqualTo(statements.of("a", begin + "2").digest());
    }
}
