package org.keyline.stores.duckdb.rewrite;

import org.keyline.planner.StatementRefusedException;

/** Converts formats of DATE_FORMAT to strftime's, and formats of STR_TO_DATE to strptime's. */
final class DateFormats {

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
        boolean escaped = false;
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (escaped && specifiers.indexOf(c) >= 0) {
                return true;
            }
            escaped = !escaped && c == '%';
        }
        return false;
    }

    private static String converted(String format, boolean printing) {
        StringBuilder result = new StringBuilder();
        boolean escaped = false;
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (escaped) {
                result.append(specifier(c, printing));
                escaped = false;
            } else if (c == '%') {
                escaped = true;
            } else {
                result.append(c);
            }
        }
        return escaped ? result.append("%%").toString() : result.toString();
    }

    private static String specifier(char c, boolean printing) {
        return switch (c) {
            case 'Y', 'y', 'm', 'd', 'H', 'I', 'S', 'f', 'p', 'j', 'a', 'b', 'w', '%' -> "%" + c;
            case 'h' -> "%I";
            case 'i' -> "%M";
            case 's' -> "%S";
            case 'M' -> "%B";
            case 'W' -> "%A";
            case 'c' -> printing ? "%-m" : "%m";
            case 'e' -> printing ? "%-d" : "%d";
            case 'k' -> printing ? "%-H" : "%H";
            case 'l' -> printing ? "%-I" : "%I";
            case 'r' -> "%I:%M:%S %p";
            case 'T' -> "%H:%M:%S";
            case 'U' -> "%U";
            case 'v' -> "%V";
            case 'x' -> "%G";
            case 'D', 'u', 'V', 'X' -> throw StatementRefusedException.unsupported("%" + c + " in a date format");
            default -> String.valueOf(c);
        };
    }
}
