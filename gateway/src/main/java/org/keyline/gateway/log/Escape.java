package org.keyline.gateway.log;

/** Makes text of clients and stores harmless in a log: one event is one line, or lines that begin with a tab. */
final class Escape {
    /** More of a message is not worth its place. */
    static final int MAX_CHARS = 2_000;

    private Escape() {}

    /** The text without control characters and line ends, cut where it is very long. */
    static String line(String text) {
        int end = Math.min(text.length(), MAX_CHARS);
        StringBuilder out = new StringBuilder(end + 16);
        for (int i = 0; i < end; i++) {
            append(out, text.charAt(i));
        }
        if (end < text.length()) {
            out.append("… (").append(text.length()).append(" characters)");
        }
        return out.toString();
    }

    /** A stack trace, of which no line can be taken for the first of another event. */
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
