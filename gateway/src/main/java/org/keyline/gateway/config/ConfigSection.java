package org.keyline.gateway.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A mapping of the YAML tree while it is read. It returns the values of keys, collects every
 * problem, and reports keys that {@link ConfigKeys} does not know. A value with a problem reads as
 * its default, so that reading continues. A problem of shape never quotes the value, which may
 * contain a secret. Confined to one thread.
 */
final class ConfigSection {
    /** The name of this section in {@link ConfigKeys}. */
    private final String section;

    private final String path;
    private final JsonNode node;
    private final Reading reading;

    /**
     * One reading of a configuration.
     *
     * @param problems collects the problems
     * @param settings collects the resolved value of every key
     * @param values collects the same values unmasked
     * @param places the place in the file of each key, by its path
     */
    record Reading(
            ValueType.Machine machine,
            List<ConfigException.Problem> problems,
            List<ConfigLoader.Setting> settings,
            Map<String, Secret> values,
            Map<String, String> places) {
        static Reading of(
                ValueType.Machine machine, List<ConfigException.Problem> problems, Map<String, String> places) {
            return new Reading(
                    machine, new ArrayList<>(problems), new ArrayList<>(), new HashMap<>(), new HashMap<>(places));
        }

        void problem(String path, String value, String expected) {
            problems.add(new ConfigException.Problem(path, value, expected, places.getOrDefault(path, "")));
        }
    }

    ConfigSection(JsonNode root, Reading reading) {
        this("", "", root, reading);
    }

    private ConfigSection(String section, String path, JsonNode node, Reading reading) {
        this.section = section;
        this.path = path;
        this.reading = reading;
        if (node.isMissingNode() || node.isNull() || node.isObject()) {
            this.node = node;
        } else {
            this.node = MissingNode.getInstance();
            reading.problem(path, shape(node), "a mapping of keys");
        }
    }

    ConfigSection section(String name) {
        return section(name, name);
    }

    /**
     * Returns a mapping whose key is a name, such as a schema's, that {@link ConfigKeys} calls
     * {@code pattern}.
     */
    ConfigSection section(String name, String pattern) {
        return new ConfigSection(
                section.isEmpty() ? pattern : section + "." + pattern, pathOf(name), node.path(name), reading);
    }

    /** Returns the keys present, for mappings whose keys are names. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Returns the mappings of a list. */
    List<ConfigSection> list(String name) {
        JsonNode list = node.path(name);
        List<ConfigSection> sections = new ArrayList<>();
        if (list.isArray()) {
            for (int i = 0; i < list.size(); i++) {
                sections.add(new ConfigSection(name + "[]", pathOf(name) + "[" + i + "]", list.get(i), reading));
            }
        } else if (!list.isMissingNode() && !list.isNull()) {
            reading.problem(pathOf(name), shape(list), "a list");
        }
        return sections;
    }

    /** Returns the value of a key, or the default that the key declares. */
    <T> T value(ConfigKey<T> key) {
        T value = read(key, key.fallbackWords());
        return value == null ? fallback(key) : value;
    }

    /** Returns the default that a key declares. */
    <T> T fallback(ConfigKey<T> key) {
        String fallback = key.fallback();
        if (fallback == null) {
            throw new IllegalStateException("no default: " + key.path());
        }
        return key.type().reader().read(fallback, reading.machine());
    }

    /** Returns the value of a key whose default is known only now. */
    <T> T value(ConfigKey<T> key, T fallback, Function<T, String> text) {
        T value = read(key, text.apply(fallback));
        return value == null ? fallback : value;
    }

    /** Returns the value of a key; null if there is none, or it has a problem. */
    <T> @Nullable T optional(ConfigKey<T> key) {
        return read(key, key.fallbackWords());
    }

    String required(ConfigKey<String> key) {
        JsonNode given = node.path(key.name());
        if (!has(key) || (given.isValueNode() && given.asText().isEmpty())) {
            problem(key, "missing", key.sentence());
            return "";
        }
        String value = read(key, "");
        return value == null ? "" : value;
    }

    /** Adds a problem of a key; shows the value as the key allows. */
    void problem(ConfigKey<?> key, String value, String expected) {
        reading.problem(pathOf(key.name()), value, expected);
    }

    boolean has(ConfigKey<?> key) {
        JsonNode value = node.path(key.name());
        return !value.isMissingNode() && !value.isNull();
    }

    /** Reports names that no key of this section has. */
    void end() {
        List<String> known = ConfigKeys.namesIn(section);
        Set<String> unknown = new HashSet<>(names());
        known.forEach(unknown::remove);
        unknown.stream()
                .sorted()
                .forEach(name ->
                        reading.problem(pathOf(name), "unknown key" + meant(name, known), String.join(", ", known)));
    }

    /** Returns a suggestion: a key of this section, or one of that name in another section. */
    private static String meant(String name, List<String> known) {
        String here = Nearest.question(name, known);
        String elsewhere = ConfigKeys.ALL.stream()
                .filter(key -> key.name().equals(name))
                .map(ConfigKey::path)
                .findFirst()
                .orElse("");
        return !here.isEmpty() || elsewhere.isEmpty() ? here : ", did you mean " + elsewhere + "?";
    }

    private <T> @Nullable T read(ConfigKey<T> key, String fallback) {
        if (!key.section().equals(section)) {
            throw new IllegalStateException(key.path() + " read in section " + section);
        }
        JsonNode value = node.path(key.name());
        if (value.isMissingNode() || value.isNull()) {
            note(key, fallback, ConfigLoader.Source.DEFAULT);
            return null;
        }
        if (!value.isValueNode()) {
            problem(key, shape(value), key.type().expected());
            return null;
        }
        try {
            T read = key.type().reader().read(value.asText(), reading.machine());
            note(key, value.asText(), ConfigLoader.Source.FILE);
            return read;
        } catch (ValueType.Refusal e) {
            problem(key, key.shown(value.asText()), e.expected());
        } catch (IllegalArgumentException | ArithmeticException e) {
            problem(key, key.shown(value.asText()), key.type().expected());
        }
        return null;
    }

    /** Sets a key from the environment if no other source has it. */
    void fromEnvironment(ConfigKey<?> key, String value) {
        reading.settings().removeIf(setting -> setting.path().equals(pathOf(key.name())));
        note(key, value, ConfigLoader.Source.ENVIRONMENT);
    }

    private void note(ConfigKey<?> key, String value, ConfigLoader.Source source) {
        String at = pathOf(key.name());
        reading.settings().add(new ConfigLoader.Setting(at, key.shown(value), source));
        reading.values().put(at, new Secret(value));
    }

    private String pathOf(String name) {
        String quoted = ConfigPath.quote(name);
        return path.isEmpty() ? quoted : path + "." + quoted;
    }

    private static String shape(JsonNode node) {
        if (node.isObject()) {
            return "a mapping";
        }
        return node.isArray() ? "a list" : "a single value";
    }
}
