package org.keyline.stores.duckdb.translate;

import java.util.Map;
import java.util.TreeMap;
import org.keyline.planner.ColumnSchema;

/** The text of a VARIANT: JSON without white space, the members of an object in the order of their names. Used once. */
final class VariantText {
    private static final int MAX_DEPTH = 128;
    private static final String HEX = "0123456789abcdefABCDEF";

    private final String json;
    private final ColumnSchema column;
    private int at;

    private VariantText(String json, ColumnSchema column) {
        this.json = json;
        this.column = column;
    }

    /** 1366 where the text is no JSON. */
    static String of(String json, ColumnSchema column) {
        VariantText reader = new VariantText(json, column);
        String value = reader.value(0);
        if (reader.peek() != 0) {
            throw NestedValues.incorrect(column, json);
        }
        return value;
    }

    private char peek() {
        while (at < json.length() && " \t\n\r".indexOf(json.charAt(at)) >= 0) {
            at++;
        }
        return at < json.length() ? json.charAt(at) : 0;
    }

    private void expect(char c) {
        if (peek() != c) {
            throw NestedValues.incorrect(column, json);
        }
        at++;
    }

    private boolean take(char c) {
        boolean there = peek() == c;
        at += there ? 1 : 0;
        return there;
    }

    private String value(int depth) {
        if (depth > MAX_DEPTH) {
            throw NestedValues.incorrect(column, json);
        }
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            default -> word();
        };
    }

    private String object(int depth) {
        Map<String, String> members = new TreeMap<>();
        expect('{');
        if (!take('}')) {
            do {
                peek();
                String name = string();
                expect(':');
                members.put(name, name + ":" + value(depth + 1));
            } while (take(','));
            expect('}');
        }
        return "{" + String.join(",", members.values()) + "}";
    }

    private String array(int depth) {
        StringBuilder out = new StringBuilder("[");
        expect('[');
        if (!take(']')) {
            do {
                out.append(out.length() > 1 ? "," : "").append(value(depth + 1));
            } while (take(','));
            expect(']');
        }
        return out.append(']').toString();
    }

    /** A string as it is written, with its quotes and escapes. */
    private String string() {
        int from = at;
        expect('"');
        while (at < json.length() && json.charAt(at) != '"') {
            if (json.charAt(at) == '\\') {
                at++;
                boolean unicode = at < json.length() && json.charAt(at) == 'u';
                for (int i = 1; unicode && i <= 4; i++) {
                    if (at + i >= json.length() || HEX.indexOf(json.charAt(at + i)) < 0) {
                        throw NestedValues.incorrect(column, json);
                    }
                }
            }
            at++;
        }
        if (at >= json.length()) {
            throw NestedValues.incorrect(column, json);
        }
        at++;
        return json.substring(from, at);
    }

    private String word() {
        int from = at;
        while (at < json.length()
                && (Character.isLetterOrDigit(json.charAt(at)) || "+-.".indexOf(json.charAt(at)) >= 0)) {
            at++;
        }
        String word = json.substring(from, at);
        boolean known = word.equals("true") || word.equals("false") || word.equals("null");
        if (!known && !word.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            throw NestedValues.incorrect(column, json);
        }
        return word;
    }
}
