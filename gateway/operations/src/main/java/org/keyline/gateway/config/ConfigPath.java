package org.keyline.gateway.config;

import java.util.ArrayList;
import java.util.List;

/**
 * The path of a key: names joined by dots. Backticks enclose a name with a dot or another unusual
 * character. A backtick within a name is doubled, as in SQL:
 * {@code tables.shop.`orders.2026`.prefix}.
 */
final class ConfigPath {
    private ConfigPath() {}

    static List<String> parse(String text) {
        List<String> names = new ArrayList<>();
        int at = 0;
        while (true) {
            StringBuilder name = new StringBuilder();
            if (at < text.length() && text.charAt(at) == '`') {
                at = quoted(text, at + 1, name);
            } else {
                while (at < text.length() && text.charAt(at) != '.') {
                    name.append(text.charAt(at++));
                }
            }
            if (name.isEmpty()) {
                throw new IllegalArgumentException("empty name in " + text);
            }
            names.add(name.toString());
            if (at == text.length()) {
                return names;
            }
            if (text.charAt(at++) != '.') {
                throw new IllegalArgumentException("no dot after a quoted name in " + text);
            }
        }
    }

    static String quote(String name) {
        boolean plain = !name.isEmpty() && name.chars().noneMatch(c -> c == '.' || c == '`' || c == '=' || c == ' ');
        return plain ? name : "`" + name.replace("`", "``") + "`";
    }

    /** Returns the index of the first equals sign outside backticks; -1 if there is none. */
    static int equalsSign(String text) {
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '`') {
                quoted = !quoted;
            } else if (c == '=' && !quoted) {
                return i;
            }
        }
        return -1;
    }

    private static int quoted(String text, int from, StringBuilder name) {
        int at = from;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c != '`') {
                name.append(c);
            } else if (at < text.length() && text.charAt(at) == '`') {
                name.append(c);
                at++;
            } else {
                return at;
            }
        }
        throw new IllegalArgumentException("no closing backtick in " + text);
    }
}
