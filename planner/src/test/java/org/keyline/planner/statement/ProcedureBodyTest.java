package org.keyline.planner.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.Effect;
import org.keyline.planner.Plans;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TestCatalog;
import org.keyline.planner.TriggerText;
import org.keyline.planner.WriteScope;

final class ProcedureBodyTest {
    /** The effect of a write to a table with a trigger. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "ProcedureBodyTest.effect_ofAWriteThatATriggerFollows_hasWhatTheTriggerWrites.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void effect_ofAWriteThatATriggerFollows_hasWhatTheTriggerWrites(String body, String sql, String plan) {
        TestCatalog catalog = TestCatalog.shared();
        TableSchema t = TestCatalog.table("d", "watched", 1, "k", "v", "w");
        catalog.add(new TableSchema(
                t.name(),
                99,
                t.model(),
                t.columns(),
                t.keyColumns(),
                List.of(),
                "",
                Map.of(),
                WriteScope.ROWS,
                List.of(new TriggerText("b", body, "ANSI"))));
        assertThat(Plans.text(
                        Plans.PLANNER.plan(Plans.digest(sql), "d", catalog).plan()))
                .isEqualTo(plan);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "ProcedureBodyTest.body_closesWhatItNames_orEverything.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void body_closesWhatItNames_orEverything(String body, String expected) {
        assertThat(effect(body, "")).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            UPDATE t SET v = 1 WHERE w = '\\'; DELETE FROM c WHERE w = '\\' | NO_BACKSLASH_ESCAPES | d.t d.c
            UPDATE t SET v = 1 WHERE w = '\\'; DELETE FROM c WHERE w = '\\' | NO_ZERO_DATE         | everything
            UPDATE "t" SET v = 1                                          | ANSI_QUOTES          | d.t
            UPDATE "t" SET v = 1                                          | NO_ZERO_DATE         | everything
            UPDATE t SET v = 1                                            | ORACLE               | everything
            """)
    void body_isReadUnderItsOwnMode(String body, String mode, String expected) {
        assertThat(effect(body, mode)).isEqualTo(expected);
    }

    private static String effect(String body, String mode) {
        Effect effect = ProcedureBody.effect(body, mode, "d", TestCatalog.shared());
        if (effect instanceof Effect.Tables tables) {
            return tables.tables().stream()
                    .map(name -> name.schema() + "." + name.table())
                    .collect(Collectors.joining(" "));
        }
        return effect instanceof Effect.None ? "nothing" : effect instanceof Effect.Everything ? "everything" : "other";
    }
}
