package org.keyline.gateway.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The path of a key: names joined by dots. Backticks enclose a name with a dot or another unusual
 * character. A backtick within a name is doubled, as in SQL:
 * {@code tables.shop.`orders.2026`.prefix}.
 */
final class ConfigPath {
    /** A name with the dot after it, or with the end of the text. */
    private static final Pattern NAME = Pattern.compile("(?:`((?:[^`]++|``)++)`|([^.`][^.]*))(\\.|\\z)");

    private static final Pattern BEFORE_EQUALS = Pattern.compile("(?:[^`=]++|`[^`]*`)*+(?==)");

    private ConfigPath() {}

    static List<String> parse(String text) {
        List<String> names = new ArrayList<>();
        Matcher name = NAME.matcher(text);
        String end = ".";
        while (!end.isEmpty()) {
            if (!name.lookingAt()) {
                throw new IllegalArgumentException("no name after a dot or a backtick: " + text);
            }
            names.add(name.group(1) == null ? name.group(2) : name.group(1).replace("``", "`"));
            end = name.group(3);
            name.region(name.end(), text.length());
        }
        return names;
    }

    static String join(String path, String name) {
        boolean plain = !name.isEmpty() && name.chars().noneMatch(c -> ".`= []".indexOf(c) >= 0);
        String quoted = plain ? name : "`" + name.replace("`", "``") + "`";
        return path.isEmpty() ? quoted : path + "." + quoted;
    }

    /** Returns the index of the first equals sign outside backticks; -1 if there is none. */
    static int equalsSign(String text) {
        Matcher before = BEFORE_EQUALS.matcher(text);
        return before.lookingAt() ? before.end() : -1;
    }
}
