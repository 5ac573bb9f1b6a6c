package org.keyline.gateway.log;

/** Escapes text from clients for the log. Lines that continue an event begin with a tab. */
final class Escape {
    /** Messages are cut off after this many characters. */
    static final int MAX_CHARS = 2_000;

    /** Room for the note at the end of a truncated message. */
    private static final int SUFFIX_CHARS = 32;

    private Escape() {}

    static String line(String text) {
        String shortened = cut(text);
        StringBuilder out = new StringBuilder(shortened.length() + 16);
        for (int i = 0; i < shortened.length(); i++) {
            append(out, shortened.charAt(i));
        }
        return out.toString();
    }

    /** Truncates a text that is too long. The result ends with the length of the whole text. */
    static String cut(String text) {
        return text.length() <= MAX_CHARS + SUFFIX_CHARS
                ? text
                : text.substring(0, MAX_CHARS) + "… (" + text.length() + " characters)";
    }

    /** Escapes a stack trace, so that no line looks like the first line of another event. */
    static String trace(String text) {
        StringBuilder out = new StringBuilder(text.length() + 64);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\t') {
                out.append(c);
                boolean begins = c == '\n' && i + 1 < text.length();
                if (begins && text.charAt(i + 1) != '\t') {
                    out.append('\t');
                }
            } else {
                append(out, c);
            }
        }
        return out.toString();
    }

    private static void append(StringBuilder out, char c) {
        int type = Character.getType(c);
        boolean harmless = type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR;
        if (harmless) {
            out.append(c);
        } else if (c == '\n') {
            out.append("\\n");
        } else if (c == '\r') {
            out.append("\\r");
        } else if (c == '\t') {
            out.append("\\t");
        } else {
            out.append(String.format("\\u%04x", (int) c));
        }
    }
}
