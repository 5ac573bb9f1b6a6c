package org.keyline.gateway.key;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.keyline.planner.ColumnType;

/**
 * Literals that are compared with a key column: of its own type, at its limits, and of other types.
 */
final class KeyLiterals {
    /** Random values of each type; {@code .ci/nightly} takes 120. */
    private static final int VALUES = Integer.getInteger("keyline.keys.values", 30);

    private static final List<String> WORDS = List.of(
            "a", "A", "z", "Z", "m", "0", "9", " ", "_", "-", ".", "`", "^", "~", "!", "[", "]", "{", "|", "\\\\", "''",
            "\"", "@", "/", "é", "á", "ä", "Ä", "ß", "ÿ", "ı", "€", "Ω", "日", "😀", "\\t", "\\0", "\\n", "\u007F",
            "\u0085", "\u00A0", "\u200B", "a\u0301");

    private KeyLiterals() {}

    /** Returns literals for a column. */
    static List<String> of(ColumnType type, Random random) {
        List<String> literals = new ArrayList<>(List.of(
                "0",
                "-0",
                "1",
                "'1'",
                "'01'",
                "' 1'",
                "'1 '",
                "'1x'",
                "'x'",
                "''",
                "' '",
                "'-0'",
                "1.0",
                "1e0",
                "1.4",
                "1.5",
                "-1.5",
                "0.5",
                "x'31'",
                "b'1'",
                "'1.0'",
                "'1e0'",
                "'2024-02-29'",
                "20240229",
                "'2024-02-29 00:00:00'",
                "'2024-02-29 12:30:45.123456'",
                "'2024-2-9'",
                "'24-02-29'",
                "'2023-02-29'",
                "'0000-00-00'",
                "'2024-02-00'",
                "'2024-02-29T12:30:45'",
                "20240229123045",
                "'20240229'",
                "'9999-12-31 23:59:59.999999'",
                "'0000-01-01'",
                "'0001-01-01 00:00:00'",
                "'12:30:45'"));
        switch (type.kind()) {
            case CHAR, VARCHAR -> texts(literals, random);
            case BINARY, VARBINARY -> texts(literals, random);
            case DATE, DATETIME -> moments(literals, random);
            default -> numbers(literals, type, random);
        }
        return literals;
    }

    private static void texts(List<String> literals, Random random) {
        for (char at = ' '; at <= '~'; at++) {
            literals.add(at == '\'' ? "''''" : at == '\\' ? "'\\\\'" : "'" + at + "'");
        }
        for (int i = 0; i < 3 * VALUES; i++) {
            StringBuilder text = new StringBuilder("'");
            // Short and of few characters, so that many are equal in some collation.
            int words = i % 3 == 0 ? 6 : i % 3 == 1 ? 24 : WORDS.size();
            for (int length = random.nextInt(i % 2 == 0 ? 4 : 7); length > 0; length--) {
                text.append(WORDS.get(random.nextInt(words)));
            }
            text.append(" ".repeat(random.nextInt(3) == 0 ? random.nextInt(4) : 0));
            literals.add(text.append('\'').toString());
        }
    }

    private static void moments(List<String> literals, Random random) {
        for (int i = 0; i < VALUES; i++) {
            String day = LocalDate.of(1 + random.nextInt(9998), 1, 1)
                    .plusDays(random.nextInt(365))
                    .toString();
            String time = String.format("%02d:%02d:%02d", random.nextInt(24), random.nextInt(60), random.nextInt(60));
            String fraction = String.valueOf(random.nextInt(1_000_000)).substring(0, 1);
            literals.add("'" + day + "'");
            literals.add("'" + day + " 00:00:00'");
            literals.add("'" + day + " " + time + "'");
            literals.add("'" + day + " " + time + "." + fraction + "'");
            literals.add("'" + day + " " + time + "." + fraction + "00'");
            literals.add("'" + day + " " + time + "." + fraction + "23456'");
        }
    }

    private static void numbers(List<String> literals, ColumnType type, Random random) {
        for (int bits : new int[] {7, 8, 15, 16, 23, 24, 31, 32, 53, 63, 64}) {
            java.math.BigInteger power = java.math.BigInteger.TWO.pow(bits);
            for (int off = -2; off <= 2; off++) {
                String digits = power.add(java.math.BigInteger.valueOf(off)).toString();
                literals.addAll(List.of(digits, "-" + digits, "'" + digits + "'", "'-" + digits + "'", digits + ".0"));
            }
        }
        for (int i = 0; i < VALUES; i++) {
            String whole = Integer.toString(random.nextInt(random.nextBoolean() ? 300 : 100_000));
            String fraction = Integer.toString(random.nextInt(random.nextBoolean() ? 10 : 1000));
            String zeros = "0".repeat(random.nextInt(3));
            literals.add(zeros + whole);
            literals.add("-" + whole);
            literals.add("'" + zeros + whole + "'");
            literals.add(whole + "." + fraction + zeros);
            literals.add("-" + whole + "." + fraction);
            literals.add("'" + whole + "." + fraction + "'");
            literals.add("." + fraction);
            literals.add(whole + ".");
            literals.add("9".repeat(1 + random.nextInt(40)) + (type.scale() > 0 ? "." + fraction : ""));
        }
    }
}
