package org.keyline.gateway.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the YAML tree while it is read: hands out checked values, notes every problem, and at the end names
 * the keys that nobody asked for. A value with a problem reads as its default, so that reading goes on to the next.
 * Confined to one thread.
 */
final class ConfigSection {
    private final String path;
    private final JsonNode node;
    private final List<ConfigException.Problem> problems;
    private final Set<String> known = new HashSet<>();

    ConfigSection(String path, JsonNode node, List<ConfigException.Problem> problems) {
        this.path = path;
        this.problems = problems;
        if (node.isMissingNode() || node.isNull() || node.isObject()) {
            this.node = node;
        } else {
            this.node = MissingNode.getInstance();
            problem(path, node.toString(), "a mapping of keys");
        }
    }

    ConfigSection section(String key) {
        return new ConfigSection(pathOf(key), child(key), problems);
    }

    /** Keys present, for mappings whose keys are names. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** The mappings of a list. */
    List<ConfigSection> list(String key) {
        JsonNode list = child(key);
        List<ConfigSection> sections = new ArrayList<>();
        if (list.isArray()) {
            for (int i = 0; i < list.size(); i++) {
                sections.add(new ConfigSection(pathOf(key) + "[" + i + "]", list.get(i), problems));
            }
        } else if (!list.isMissingNode() && !list.isNull()) {
            problem(pathOf(key), list.toString(), "a list");
        }
        return sections;
    }

    <T> T value(String key, T fallback, String expected, Function<String, T> parse) {
        T value = optional(key, expected, parse);
        return value == null ? fallback : value;
    }

    /** Null where there is none, or where it has a problem. */
    <T> @Nullable T optional(String key, String expected, Function<String, T> parse) {
        JsonNode value = child(key);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isValueNode()) {
            problem(pathOf(key), value.toString(), expected);
            return null;
        }
        try {
            return parse.apply(value.asText());
        } catch (IllegalArgumentException | ArithmeticException e) {
            problem(pathOf(key), shown(key, value.asText()), expected);
            return null;
        }
    }

    String text(String key, String fallback) {
        return value(key, fallback, "text", Function.identity());
    }

    String required(String key, String expected) {
        JsonNode value = child(key);
        if (value.isMissingNode() || value.isNull() || value.asText().isEmpty()) {
            problem(pathOf(key), "missing", expected);
            return "";
        }
        return value(key, "", expected, Function.identity());
    }

    boolean flag(String key, boolean fallback) {
        return value(key, fallback, "true or false", text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "on" -> true;
            case "false", "off" -> false;
            default -> throw new IllegalArgumentException(text);
        });
    }

    int integer(String key, int fallback, int min, int max) {
        return value(key, fallback, "a whole number, " + min + ".." + max, text -> {
            int number = Integer.parseInt(text);
            require(number >= min && number <= max);
            return number;
        });
    }

    Duration duration(String key, Duration fallback, Duration min, Duration max) {
        String expected = "a duration with a unit ms, s, m or h, " + Units.format(min) + ".." + Units.format(max);
        return value(key, fallback, expected, text -> {
            Duration duration = Units.duration(text);
            require(duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0);
            return duration;
        });
    }

    long bytes(String key, long fallback, long min, long max) {
        String expected = "a size with a unit B, KiB, MiB or GiB, " + Units.format(min) + ".." + Units.format(max);
        return value(key, fallback, expected, text -> {
            long bytes = Units.bytes(text);
            require(bytes >= min && bytes <= max);
            return bytes;
        });
    }

    /** Like {@link #bytes}, or a share of {@code whole} in per cent. */
    long bytesOrShare(String key, String fallback, long whole, long min) {
        Function<String, Long> parse = text -> {
            if (!text.endsWith("%")) {
                long bytes = Units.bytes(text);
                require(bytes >= min && bytes <= whole);
                return bytes;
            }
            int percent = Integer.parseInt(text.substring(0, text.length() - 1).trim());
            require(percent >= 1 && percent <= 80);
            return whole / 100 * percent;
        };
        String expected = "1%..80% of the heap, or a size with a unit B, KiB, MiB or GiB from " + Units.format(min)
                + " up to the heap's maximum";
        return value(key, parse.apply(fallback), expected, parse);
    }

    <E extends Enum<E>> E choice(String key, E fallback, Class<E> type, Function<E, String> nameOf) {
        List<String> names = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            names.add(nameOf.apply(constant));
        }
        return value(key, fallback, String.join(", ", names), text -> {
            int index = names.indexOf(text.toLowerCase(Locale.ROOT));
            require(index >= 0);
            return type.getEnumConstants()[index];
        });
    }

    void problem(String at, String value, String expected) {
        problems.add(new ConfigException.Problem(at, value, expected));
    }

    String pathOf(String key) {
        String name = ConfigPath.quote(key);
        return path.isEmpty() ? name : path + "." + name;
    }

    /** Reports keys that were never asked for. */
    void end() {
        Set<String> unknown = new HashSet<>(names());
        unknown.removeAll(known);
        unknown.stream()
                .sorted()
                .forEach(key -> problem(
                        pathOf(key),
                        "unknown key",
                        String.join(", ", known.stream().sorted().toList())));
    }

    boolean has(String key) {
        JsonNode value = node.path(key);
        return !value.isMissingNode() && !value.isNull();
    }

    private JsonNode child(String key) {
        known.add(key);
        return node.path(key);
    }

    private static String shown(String key, String value) {
        return key.equals("password") || key.equals("hash") ? "***" : value;
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new IllegalArgumentException("out of range");
        }
    }
}
