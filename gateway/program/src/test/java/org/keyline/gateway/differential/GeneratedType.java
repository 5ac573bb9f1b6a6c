package org.keyline.gateway.differential;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Random;

/** A column type of generated tables: its DDL, and its values in SQL. */
enum GeneratedType {
    BOOLEAN("BOOLEAN", true),
    TINYINT("TINYINT", true),
    SMALLINT("SMALLINT", true),
    INT("INT", true),
    BIGINT("BIGINT", true),
    LARGEINT("LARGEINT", true),
    DECIMAL("DECIMAL(12, 3)", true),
    WIDE_DECIMAL("DECIMAL(38, 6)", true),
    DATE("DATE", true),
    DATETIME("DATETIME", true),
    DATETIME_MILLIS("DATETIME(3)", true),
    DATETIME_MICROS("DATETIME(6)", true),
    CHAR("CHAR(10)", true),
    VARCHAR("VARCHAR(400)", true),
    FLOAT("FLOAT", false),
    DOUBLE("DOUBLE", false),
    STRING("STRING", false),
    TEXT("TEXT", false),
    JSON("JSON", false);

    private static final String[] TEXTS = {
        "",
        "a",
        "A",
        " a",
        "a ",
        "it's",
        "\"q\"",
        "back\\slash",
        "%",
        "_",
        "ä",
        "😀",
        "日本語",
        "\n\t",
        "NULL",
        "0",
        "1",
        "01",
        "1.0",
        "1e0",
        "-1",
        "x".repeat(8)
    };

    private final String ddl;
    private final boolean key;

    GeneratedType(String ddl, boolean key) {
        this.ddl = ddl;
        this.key = key;
    }

    String ddl() {
        return ddl;
    }

    /** Returns whether a key column may have it. */
    boolean key() {
        return key;
    }

    /** Returns whether MySQL has it. */
    boolean isOfMySql() {
        return this != LARGEINT && this != STRING;
    }

    /** Returns whether its values fit 64 bits. */
    boolean integer() {
        return this == BOOLEAN || this == TINYINT || this == SMALLINT || this == INT || this == BIGINT;
    }

    /** Returns a value without quotes. */
    String value(Random random) {
        return switch (this) {
            case BOOLEAN -> random.nextBoolean() ? "1" : "0";
            case TINYINT -> integer(random, 7);
            case SMALLINT -> integer(random, 15);
            case INT -> integer(random, 31);
            case BIGINT -> integer(random, 63);
            case LARGEINT -> integer(random, 127);
            case DECIMAL -> decimal(random, 12, 3);
            case WIDE_DECIMAL -> decimal(random, 38, 6);
            case DATE -> date(random).toString();
            case DATETIME -> moment(random, 0);
            case DATETIME_MILLIS -> moment(random, 3);
            case DATETIME_MICROS -> moment(random, 6);
            case CHAR -> clip(TEXTS[random.nextInt(TEXTS.length)], 10);
            case VARCHAR -> random.nextInt(10) == 0 ? longText(random, 400) : TEXTS[random.nextInt(TEXTS.length)];
            case STRING, TEXT -> random.nextInt(5) == 0 ? longText(random, 5_000) : TEXTS[random.nextInt(TEXTS.length)];
            case FLOAT -> Float.toString(random.nextInt(3) == 0 ? random.nextInt(100) : (float) random.nextGaussian());
            case DOUBLE ->
                Double.toString(
                        random.nextInt(3) == 0
                                ? random.nextInt(100)
                                : random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20.0));
            case JSON -> "{\"k\": [" + random.nextInt(100) + ", null, \"😀 it's\"]}";
        };
    }

    /** Returns the value as a literal of the type's own class. */
    String literal(String value) {
        boolean bare = integer()
                || this == LARGEINT
                || this == DECIMAL
                || this == WIDE_DECIMAL
                || this == FLOAT
                || this == DOUBLE;
        return bare ? value : quoted(value);
    }

    static String quoted(String value) {
        StringBuilder literal = new StringBuilder("'");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\'' -> literal.append("''");
                case '\\' -> literal.append("\\\\");
                case '\n' -> literal.append("\\n");
                default -> literal.append(c);
            }
        }
        return literal.append('\'').toString();
    }

    private static String integer(Random random, int bits) {
        return switch (random.nextInt(6)) {
            case 0 -> BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE).toString();
            case 1 -> BigInteger.ONE.shiftLeft(bits).negate().toString();
            case 2 -> Integer.toString(-random.nextInt(4));
            case 3 -> new BigInteger(bits, random).toString();
            default -> Integer.toString(random.nextInt(4));
        };
    }

    private static String decimal(Random random, int precision, int scale) {
        BigInteger max = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
        BigInteger unscaled = switch (random.nextInt(5)) {
            case 0 -> max;
            case 1 -> max.negate();
            case 2 -> new BigInteger(20, random);
            default -> BigInteger.valueOf(random.nextInt(4) * 1_000_000L);
        };
        return new BigDecimal(unscaled, scale).toPlainString();
    }

    private static LocalDate date(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> LocalDate.of(9999, 12, 31);
            case 1 -> LocalDate.of(1000, 1, 1);
            case 2 -> LocalDate.of(2024, 2, 29);
            default -> LocalDate.of(2026, 1, 1).plusDays(random.nextInt(3));
        };
    }

    private static String moment(Random random, int digits) {
        LocalDateTime time = date(random).atTime(random.nextInt(24), random.nextInt(60), random.nextInt(60));
        if (random.nextInt(3) == 0) {
            time = date(random).atStartOfDay();
        }
        String fraction = digits == 0
                ? ""
                : "." + String.format("%06d", random.nextInt(1_000_000)).substring(0, digits);
        return time.toLocalDate() + " "
                + String.format("%02d:%02d:%02d", time.getHour(), time.getMinute(), time.getSecond()) + fraction;
    }

    private static String longText(Random random, int max) {
        int length = switch (random.nextInt(4)) {
            case 0 -> 250;
            case 1 -> 251;
            case 2 -> 256;
            default -> 1 + random.nextInt(max);
        };
        return String.valueOf((char) ('a' + random.nextInt(26))).repeat(Math.min(length, max));
    }

    private static String clip(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }
}
