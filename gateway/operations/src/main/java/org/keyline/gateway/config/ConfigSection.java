package org.keyline.gateway.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A section of the configuration during reading. Each key is read once, on first request, so that
 * its default can depend on another key. After a problem, reading continues with the default.
 * Confined to one thread.
 */
final class ConfigSection implements ConfigValues {
    private final @Nullable Settings parent;
    private final String section;
    private final String path;
    private final Reading reading;
    private final Map<ConfigKey<?>, Settings.Setting> settings = new HashMap<>();

    /**
     * One reading of a configuration, which collects every problem.
     *
     * @param nodes all nodes by path, each before those within it
     */
    record Reading(
            ValueType.Machine machine,
            Map<String, String> environment,
            Map<String, ConfigNode> nodes,
            List<ConfigException.Problem> problems) {
        Reading copy() {
            return new Reading(machine, environment, new LinkedHashMap<>(nodes), new ArrayList<>(problems));
        }

        List<ConfigNode> within(String path) {
            return nodes.values().stream()
                    .filter(node -> node.parent().equals(path))
                    .toList();
        }

        void problem(String path, String value, String expected) {
            ConfigNode node = nodes.get(path);
            problems.add(new ConfigException.Problem(path, value, expected, node == null ? "" : node.place()));
        }
    }

    /**
     * @param parent the settings of all other sections; null for those without entries
     * @param section the name of the section in the declarations of keys; empty without a parent
     * @param path the path of the section
     */
    ConfigSection(@Nullable Settings parent, String section, String path, Reading reading) {
        this.parent = parent;
        this.section = section;
        this.path = path;
        this.reading = reading;
    }

    Settings settings() {
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            if (owns(key)) {
                Settings.Setting unused = setting(key);
            }
        }
        return new Settings(parent, settings);
    }

    ValueType.Machine machine() {
        return reading.machine();
    }

    boolean listsUsers() {
        return !reading.within("users").isEmpty();
    }

    @Override
    @SuppressWarnings("unchecked") // the key's type has read it
    public <T> @Nullable T find(ConfigKey<T> key) {
        return (T) setting(key).content();
    }

    /** Returns the text of a key's value or default. */
    String text(ConfigKey<?> key) {
        return setting(key).text().value();
    }

    private Settings.Setting setting(ConfigKey<?> key) {
        if (parent != null && !owns(key)) {
            return parent.of(key);
        }
        Settings.Setting known = settings.get(key);
        if (known == null) {
            known = read(key);
            settings.put(key, known);
        }
        return known;
    }

    private boolean owns(ConfigKey<?> key) {
        boolean isOfEntry =
                key.section().equals(ConfigKey.USER) || key.section().equals(ConfigKey.TABLE);
        return parent == null ? !isOfEntry : key.section().equals(section);
    }

    private Settings.Setting read(ConfigKey<?> key) {
        String at = parent == null ? key.path() : path + "." + key.name();
        ConfigNode node = reading.nodes().get(at);
        if (node != null && node.shape() == ConfigNode.Shape.NOTHING) {
            node = null;
        }
        ConfigKey<?> fileKey = key.file();
        Path file = fileKey == null ? null : (Path) setting(fileKey).content();
        String variable = key.variable() == null ? null : reading.environment().get(key.variable());
        Settings.Setting read = null;
        if (node != null && fileKey != null && file != null) {
            reading.problem(fileKey.path(), file.toString(), "either " + key.path() + " or " + fileKey.path());
        }
        if (node != null && node.shape() != ConfigNode.Shape.SINGLE_VALUE) {
            reading.problem(at, node.shape().toString(), key.type().expected());
        } else if (node != null) {
            read = parsed(key, at, node.text(), node.source(), at);
        } else if (fileKey != null && file != null) {
            String content = content(fileKey, file);
            read = content == null ? null : parsed(key, at, content, Settings.Source.FILE, fileKey.path());
        } else if (variable != null) {
            read = parsed(key, at, variable, Settings.Source.ENVIRONMENT, at);
        }
        if (read != null) {
            return read;
        }
        String fallback = key.fallback(this);
        return new Settings.Setting(
                key,
                at,
                fallback == null ? null : key.type().reader().read(fallback, reading.machine()),
                new Secret(fallback == null ? key.fallbackWords() : fallback),
                node != null ? Settings.Source.FILE : Settings.Source.DEFAULT);
    }

    /** Returns the setting; null after a problem. */
    private Settings.@Nullable Setting parsed(
            ConfigKey<?> key, String at, String text, Settings.Source source, String blamed) {
        try {
            Object content = key.type().reader().read(text, reading.machine());
            return new Settings.Setting(key, at, content, new Secret(text), source);
        } catch (IllegalArgumentException | ArithmeticException e) {
            String expected = e instanceof ValueType.Refusal
                    ? String.valueOf(e.getMessage())
                    : key.type().expected();
            reading.problem(blamed, key.shown(text), expected);
            return null;
        }
    }

    /** Returns the text of the file; null after a problem. */
    private @Nullable String content(ConfigKey<?> key, Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8).stripTrailing();
        } catch (IOException e) {
            // The message has no text of the exception, because that text may quote the file.
            reading.problem(key.path(), file.toString(), "a readable file of UTF-8 text");
            return null;
        }
    }
}
