package org.keyline.planner.digest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.keyline.planner.Seeds;

final class DigesterPropertyTest {
    private static final String[] PIECES = {
        "SELECT", " ", "k", "`", "'", "\"", "\\", "--", "-- ", "#", "/*", "*/", "/*!", "/*+", "\n", "\r", "1", "0x",
        "x'", "b'", "e5", ".", "1.", ".5", "@", "@@", ";", "(", ")", ",", "=", "-", "<=>", "?", "N'", "_utf8", "é", "名",
        "\u0000", "t.1a", "$"
    };

    private static final String[] VALUES = {
        "1",
        "0",
        "007",
        "42",
        "123456789012345678",
        "1234567890123456789",
        "18446744073709551616",
        "1.5",
        "1e5",
        "0x41",
        "0b1",
        "x'41'",
        "'a'",
        "'b'",
        "''",
        "\"a\"",
        "\"\"",
        "'a\\'",
        "'it''s'",
        "'a\\'b'",
        "'\\\\'",
        "'\u00e9'",
        "'\u0000'",
        "'/* '",
        "'--'",
        "?",
        "NULL"
    };

    @Test
    void digest_randomBytes_endsAfterAtMostAsManyTokens() {
        Seeds.forEach(1, 2_000, random -> {
            byte[] sql = new byte[random.nextInt(200)];
            for (int i = 0; i < sql.length; i++) {
                sql[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(128));
            }
            DigesterChecks.check(sql, mode(random));
        });
    }

    @Test
    void digest_randomPieces_areStable() {
        Seeds.forEach(1, 5_000, random -> {
            StringBuilder sql = new StringBuilder();
            for (int i = random.nextInt(30); i >= 0; i--) {
                sql.append(PIECES[random.nextInt(PIECES.length)]);
            }
            DigesterChecks.check(sql.toString().getBytes(UTF_8), mode(random));
        });
    }

    /**
     * A statement's digest does not depend on the statement before, even if that differs in its
     * values only.
     */
    @Test
    void digest_behindAnother_isAsByItself() {
        Digester digester = new Digester();
        int[] digested = new int[1];
        Seeds.forEach(1, 20_000, random -> {
            SqlMode mode = mode(random);
            byte[] first = statement(random);
            digester.digest(first, 0, first.length, mode);
            for (int i = 0; i < 4; i++) {
                byte[] next = random.nextInt(8) == 0 ? statement(random) : withOtherValues(first, mode, random);
                SqlMode then = random.nextInt(8) == 0 ? mode(random) : mode;
                digested[0] += digester.digest(next, 0, next.length, then) == Outcome.DIGESTED ? 1 : 0;
                DigesterChecks.same(digester, next, then);
            }
        });
        assertThat(digested[0]).isGreaterThan(20_000);
    }

    private static byte[] statement(SplittableRandom random) {
        StringBuilder sql = new StringBuilder();
        for (int i = random.nextInt(12); i >= 0; i--) {
            sql.append(
                    random.nextInt(3) == 0
                            ? VALUES[random.nextInt(VALUES.length)]
                            : PIECES[random.nextInt(PIECES.length)]);
        }
        return sql.toString().getBytes(ISO_8859_1);
    }

    private static byte[] withOtherValues(byte[] sql, SqlMode mode, SplittableRandom random) {
        Digester alone = new Digester();
        alone.digest(sql, 0, sql.length, mode);
        StringBuilder other = new StringBuilder();
        int at = 0;
        for (int slot = 0; slot < alone.slots(); slot++) {
            other.append(new String(sql, at, alone.slotStart(slot) - at, ISO_8859_1));
            other.append(VALUES[random.nextInt(VALUES.length)]);
            at = alone.slotEnd(slot);
        }
        return other.append(new String(sql, at, sql.length - at, ISO_8859_1))
                .toString()
                .getBytes(ISO_8859_1);
    }

    @Test
    void digest_randomStrings_comeBack() {
        Digester digester = new Digester();
        Seeds.forEach(1, 2_000, random -> {
            byte[] value = new byte[random.nextInt(20)];
            for (int i = 0; i < value.length; i++) {
                value[i] = (byte) random.nextInt(256);
            }
            boolean escapes = random.nextBoolean();
            byte[] sql = quoted(value, escapes, random);
            Outcome outcome = digester.digest(sql, 0, sql.length, new SqlMode(false, !escapes, false));
            assertThat(outcome).isEqualTo(Outcome.DIGESTED);
            assertThat(digester.slots()).isEqualTo(1);
            assertThat(digester.stringValue(0)).isEqualTo(value);
        });
    }

    private static SqlMode mode(SplittableRandom random) {
        return new SqlMode(random.nextBoolean(), random.nextBoolean(), random.nextBoolean());
    }

    private static byte[] quoted(byte[] value, boolean escapes, SplittableRandom random) {
        byte quote = (byte) (random.nextBoolean() ? '\'' : '"');
        byte[] sql = new byte[2 * value.length + 2];
        int length = 0;
        sql[length++] = quote;
        for (byte b : value) {
            if (b == quote) {
                sql[length++] = escapes && random.nextBoolean() ? (byte) '\\' : quote;
            } else if (b == '\\' && escapes) {
                sql[length++] = '\\';
            }
            sql[length++] = b;
        }
        sql[length++] = quote;
        return java.util.Arrays.copyOf(sql, length);
    }
}
