package org.keyline.planner.digest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** Invariants of the lexer and the digest for any bytes. */
public final class DigesterChecks {
    private DigesterChecks() {}

    public static void check(byte[] sql, SqlMode mode) {
        Lexer lexer = new Lexer();
        lexer.reset(sql, 0, sql.length, mode);
        int end = 0;
        int tokens = 0;
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            assertThat(lexer.start()).isGreaterThanOrEqualTo(end);
            assertThat(lexer.end()).isGreaterThan(lexer.start()).isLessThanOrEqualTo(sql.length);
            end = lexer.end();
            tokens++;
        }
        assertThat(tokens).isLessThanOrEqualTo(sql.length);
        Digester digester = new Digester();
        if (digester.digest(sql, 0, sql.length, mode) == Outcome.DIGESTED) {
            values(digester);
            stable(digester);
        }
    }

    /** Checks that a digester's result equals that of a new digester. */
    static void same(Digester digester, byte[] sql, SqlMode mode) {
        Digester alone = new Digester();
        String text = new String(sql, UTF_8);
        assertThat(digester.outcome()).as(text).isEqualTo(alone.digest(sql, 0, sql.length, mode));
        assertThat(digester.mode()).isEqualTo(mode);
        assertThat(digester.normalised()).as(text).isEqualTo(alone.normalised());
        assertThat(digester.hashHigh()).isEqualTo(alone.hashHigh());
        assertThat(digester.hashLow()).isEqualTo(alone.hashLow());
        assertThat(digester.statements()).as(text).isEqualTo(alone.statements());
        assertThat(digester.directive()).as(text).isEqualTo(alone.directive());
        assertThat(digester.slots()).as(text).isEqualTo(alone.slots());
        for (int slot = 0; slot < alone.slots(); slot++) {
            assertThat(digester.slotKind(slot)).as(text).isEqualTo(alone.slotKind(slot));
            assertThat(digester.slotStart(slot)).as(text).isEqualTo(alone.slotStart(slot));
            assertThat(digester.slotEnd(slot)).as(text).isEqualTo(alone.slotEnd(slot));
        }
    }

    private static void values(Digester digester) {
        for (int slot = 0; slot < digester.slots(); slot++) {
            switch (digester.slotKind(slot)) {
                case STRING, HEX, BIT -> digester.stringValue(slot);
                case INTEGER -> digester.integerValue(slot);
                case DECIMAL, FLOAT, PLACEHOLDER -> digester.slotText(slot);
            }
        }
    }

    private static void stable(Digester digester) {
        byte[] normalised = digester.normalisedBytes();
        int statements = digester.statements();
        int slots = digester.slots();
        assertThat(digester.digest(normalised, 0, normalised.length, SqlMode.DEFAULT))
                .isEqualTo(Outcome.DIGESTED);
        assertThat(digester.normalised()).isEqualTo(new String(normalised, UTF_8));
        assertThat(digester.slots()).isEqualTo(slots);
        assertThat(digester.statements()).isEqualTo(statements);
    }
}
