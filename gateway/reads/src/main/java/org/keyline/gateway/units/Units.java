package org.keyline.gateway.units;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats durations and sizes, written as a number and its unit. */
public final class Units {
    private static final Pattern QUANTITY = Pattern.compile("([0-9]{1,15}) ?([A-Za-z]+)");

    private Units() {}

    /**
     * Returns a duration from a text such as {@code 200ms}, {@code 1s}, {@code 5m} or {@code 2h}.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static Duration duration(String text) {
        Matcher quantity = match(text);
        long number = Long.parseLong(quantity.group(1));
        return switch (quantity.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> throw new IllegalArgumentException("unknown unit: " + text);
        };
    }

    public static long bytes(String text) {
        Matcher quantity = match(text);
        long number = Long.parseLong(quantity.group(1));
        return switch (quantity.group(2)) {
            case "B" -> number;
            case "KiB" -> Math.multiplyExact(number, 1L << 10);
            case "MiB" -> Math.multiplyExact(number, 1L << 20);
            case "GiB" -> Math.multiplyExact(number, 1L << 30);
            default -> throw new IllegalArgumentException("unknown unit: " + text);
        };
    }

    /** Returns the duration as text, in the largest unit that shows it exactly. */
    public static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0) {
            return "0s";
        }
        if (millis % 3_600_000 == 0) {
            return millis / 3_600_000 + "h";
        }
        if (millis % 60_000 == 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }

    public static String format(long bytes) {
        if (bytes > 0 && bytes % (1L << 30) == 0) {
            return (bytes >> 30) + " GiB";
        }
        if (bytes > 0 && bytes % (1L << 20) == 0) {
            return (bytes >> 20) + " MiB";
        }
        return bytes > 0 && bytes % (1L << 10) == 0 ? (bytes >> 10) + " KiB" : bytes + " B";
    }

    private static Matcher match(String text) {
        Matcher quantity = QUANTITY.matcher(text);
        if (!quantity.matches()) {
            throw new IllegalArgumentException("not a number with a unit, such as 200ms or 64MiB: " + text);
        }
        return quantity;
    }
}
