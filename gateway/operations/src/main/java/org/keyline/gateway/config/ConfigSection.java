package org.keyline.gateway.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A section of the YAML tree during reading. Each key is read once, on first request, so that its
 * default can depend on another key. After a problem, reading continues with the default. Confined
 * to one thread.
 */
final class ConfigSection implements ConfigValues {
    private final @Nullable ConfigSection parent;
    private final String section;
    private final String path;
    private final JsonNode node;
    private final Reading reading;
    private final Map<ConfigKey<?>, Settings.Setting> settings = new HashMap<>();

    /**
     * One reading of a configuration, which collects every problem.
     *
     * @param assigned the sources of the settings that override the file, by path
     * @param places the place of each key in the file, by path
     */
    record Reading(
            ValueType.Machine machine,
            Map<String, String> environment,
            Map<String, Settings.Setting.Source> assigned,
            Map<String, String> places,
            List<ConfigException.Problem> problems) {
        Reading copy() {
            return new Reading(
                    machine, environment, new HashMap<>(assigned), new HashMap<>(places), new ArrayList<>(problems));
        }

        void problem(String path, String value, String expected) {
            problems.add(new ConfigException.Problem(path, value, expected, places.getOrDefault(path, "")));
        }
    }

    ConfigSection(JsonNode root, Reading reading) {
        this(null, "", "", root, reading);
    }

    private ConfigSection(@Nullable ConfigSection parent, String section, String path, JsonNode node, Reading reading) {
        this.parent = parent;
        this.section = section;
        this.path = path;
        this.node = node;
        this.reading = reading;
    }

    /**
     * @param ofKeys the name of the section in the declarations of keys
     * @param at the path of the section
     */
    ConfigSection entry(String ofKeys, String at, JsonNode entry) {
        return new ConfigSection(this, ofKeys, at, entry, reading);
    }

    Settings settings(@Nullable Settings ofParent) {
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            if (owns(key)) {
                Settings.Setting unused = setting(key);
            }
        }
        return new Settings(ofParent, settings);
    }

    ValueType.Machine machine() {
        return reading.machine();
    }

    boolean listsUsers() {
        return node.path("users").size() > 0;
    }

    @Override
    @SuppressWarnings("unchecked") // the key's type has read it
    public <T> @Nullable T find(ConfigKey<T> key) {
        return (T) setting(key).content();
    }

    private Settings.Setting setting(ConfigKey<?> key) {
        if (!owns(key)) {
            if (parent == null) {
                throw new IllegalStateException("no value yet: " + key);
            }
            return parent.setting(key);
        }
        Settings.Setting known = settings.get(key);
        if (known == null) {
            known = read(key);
            settings.put(key, known);
        }
        return known;
    }

    private boolean owns(ConfigKey<?> key) {
        return section.isEmpty() ? !key.isOfEntries() : key.section().equals(section);
    }

    private Settings.Setting read(ConfigKey<?> key) {
        String at = section.isEmpty() ? key.path() : path + "." + key.name();
        JsonNode given = node;
        for (String name : section.isEmpty() ? key.path().split("\\.") : new String[] {key.name()}) {
            given = given.path(name);
        }
        boolean isGiven = !given.isMissingNode() && !given.isNull();
        ConfigKey<?> fileKey = key.file();
        Path file = fileKey == null ? null : (Path) setting(fileKey).content();
        if (isGiven && fileKey != null && file != null) {
            reading.problem(fileKey.path(), file.toString(), "either " + key.path() + " or " + fileKey.path());
        }
        String variable = key.variable() == null ? null : reading.environment().get(key.variable());
        Settings.Setting read = null;
        if (isGiven && !given.isValueNode()) {
            reading.problem(at, ConfigShape.of(given), key.type().expected());
        } else if (isGiven) {
            read = parsed(
                    key, at, given.asText(), reading.assigned().getOrDefault(at, Settings.Setting.Source.FILE), at);
        } else if (fileKey != null && file != null) {
            String content = content(fileKey, file);
            read = content == null ? null : parsed(key, at, content, Settings.Setting.Source.FILE, fileKey.path());
        } else if (variable != null) {
            read = parsed(key, at, variable, Settings.Setting.Source.ENVIRONMENT, at);
        }
        if (read != null) {
            return read;
        }
        String fallback = key.fallback() == null ? null : key.fallback().text(this);
        return new Settings.Setting(
                key,
                at,
                fallback == null ? null : key.type().reader().read(fallback, reading.machine()),
                new Secret(fallback == null ? key.fallbackWords() : fallback),
                isGiven ? Settings.Setting.Source.FILE : Settings.Setting.Source.DEFAULT);
    }

    /** Returns the setting; null after a problem. */
    private Settings.@Nullable Setting parsed(
            ConfigKey<?> key, String at, String text, Settings.Setting.Source source, String blamed) {
        try {
            return new Settings.Setting(
                    key, at, key.type().reader().read(text, reading.machine()), new Secret(text), source);
        } catch (ValueType.Refusal e) {
            reading.problem(blamed, key.shown(text), e.expected());
        } catch (IllegalArgumentException | ArithmeticException e) {
            reading.problem(blamed, key.shown(text), key.type().expected());
        }
        return null;
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
