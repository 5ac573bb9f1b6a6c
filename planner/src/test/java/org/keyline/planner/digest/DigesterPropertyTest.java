package org.keyline.planner.digest;

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
