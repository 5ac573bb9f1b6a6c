package org.keyline.stores.duckdb.rewrite;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.keyline.planner.StatementRefusedException;

/** Converts formats of DATE_FORMAT to strftime's. */
final class DateFormats {
    /** A specifier. The group is empty for a percent sign at the end of the format. */
    private static final Pattern SPECIFIER = Pattern.compile("%(.?)", Pattern.DOTALL);

    private DateFormats() {}

    static String converted(String format) {
        return SPECIFIER.matcher(format).replaceAll(m -> Matcher.quoteReplacement(specifier(m.group(1))));
    }

    private static String specifier(String c) {
        return switch (c) {
            case "Y", "y", "m", "d", "H", "I", "S", "f", "p", "j", "a", "b", "w", "%" -> "%" + c;
            case "h" -> "%I";
            case "i" -> "%M";
            case "s" -> "%S";
            case "M" -> "%B";
            case "W" -> "%A";
            case "c" -> "%-m";
            case "e" -> "%-d";
            case "k" -> "%-H";
            case "l" -> "%-I";
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
