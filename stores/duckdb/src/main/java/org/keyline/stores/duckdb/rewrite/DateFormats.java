package org.keyline.stores.duckdb.rewrite;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.keyline.planner.StatementRefusedException;

/** Converts formats of DATE_FORMAT to strftime's, and formats of STR_TO_DATE to strptime's. */
final class DateFormats {
    /** A specifier. The group is empty for a percent sign at the end of the format. */
    private static final Pattern SPECIFIER = Pattern.compile("%(.?)", Pattern.DOTALL);

    private DateFormats() {}

    static String printing(String format) {
        return converted(format, true);
    }

    /** Returns the format for strptime, which reads numbers with or without a leading zero. */
    static String reading(String format) {
        return converted(format, false);
    }

    static boolean hasTime(String format) {
        return has(format, "HhIiklSsTrfp");
    }

    static boolean hasDate(String format) {
        return has(format, "YymMbcdejDaW");
    }

    private static boolean has(String format, String specifiers) {
        return SPECIFIER
                .matcher(format)
                .results()
                .anyMatch(m -> !m.group(1).isEmpty() && specifiers.contains(m.group(1)));
    }

    private static String converted(String format, boolean printing) {
        return SPECIFIER.matcher(format).replaceAll(m -> Matcher.quoteReplacement(specifier(m.group(1), printing)));
    }

    private static String specifier(String c, boolean printing) {
        return switch (c) {
            case "Y", "y", "m", "d", "H", "I", "S", "f", "p", "j", "a", "b", "w", "%" -> "%" + c;
            case "h" -> "%I";
            case "i" -> "%M";
            case "s" -> "%S";
            case "M" -> "%B";
            case "W" -> "%A";
            case "c" -> printing ? "%-m" : "%m";
            case "e" -> printing ? "%-d" : "%d";
            case "k" -> printing ? "%-H" : "%H";
            case "l" -> printing ? "%-I" : "%I";
            case "r" -> "%I:%M:%S %p";
            case "T" -> "%H:%M:%S";
            case "U" -> "%U";
            case "v" -> "%V";
            case "x" -> "%G";
            case "D", "u", "V", "X" -> throw StatementRefusedException.unsupported("%" + c + " in a date format");
            case "" -> "%%";
            default -> c;
        };
    }
}
