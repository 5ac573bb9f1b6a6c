package org.keyline.gateway.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/**
 * Reads the configuration: a YAML file, then single settings that override it, then the checks that
 * concern several keys. {@link ConfigKeys} declares the valid values of a single key. Nothing is
 * corrected silently. Confined to one thread.
 */
public final class ConfigLoader {
    /** Sections that control access, besides users. A reload that lacks one is refused. */
    private static final List<String> GUARDS = List.of("access", "tls");

    private static final String OR_FORCE = "its present keys, or KEYLINE RELOAD FORCE";

    private static final int MAX_FILE_BYTES = 4 << 20;
    private static final Pattern NO_NAME = Pattern.compile("[^A-Za-z0-9.].*", Pattern.DOTALL);

    private final ConfigSection.Reading reading;
    private boolean fileIsEmpty;
    private final ObjectNode tree;

    public ConfigLoader(Map<String, String> environment) {
        this(environment, Runtime.getRuntime().maxMemory(), Runtime.getRuntime().availableProcessors());
    }

    ConfigLoader(Map<String, String> environment, long heapBytes, int processors) {
        tree = JsonNodeFactory.instance.objectNode();
        reading = new ConfigSection.Reading(
                new ValueType.Machine(heapBytes, processors),
                Map.copyOf(environment),
                new HashMap<>(),
                new HashMap<>(),
                new ArrayList<>());
    }

    private ConfigLoader(ConfigLoader other) {
        tree = other.tree.deepCopy();
        reading = other.reading.copy();
        fileIsEmpty = other.fileIsEmpty;
    }

    ConfigLoader copy() {
        return new ConfigLoader(this);
    }

    /** Reads a YAML file. Must be called before {@link #set}. */
    public ConfigLoader file(Path file) {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                problem("", file.toString(), "a file of at most 4 MiB");
                return this;
            }
            return yaml(Files.readString(file, StandardCharsets.UTF_8), file.toString());
        } catch (IOException e) {
            String why = e instanceof NoSuchFileException
                    ? "no such file"
                    : e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
            problem("", file + ": " + why, "a readable YAML file");
            return this;
        }
    }

    ConfigLoader yaml(String text, String source) {
        fileIsEmpty = true;
        try {
            Map<String, String> places = new HashMap<>();
            JsonNode root = YamlText.parse(text, places);
            places.forEach((path, place) -> reading.places().put(path, source + " " + place));
            if (root instanceof ObjectNode settings) {
                tree.setAll(settings);
                fileIsEmpty = settings.isEmpty();
            } else if (root != null && !root.isNull()) {
                problem("", source, "a mapping of keys");
            }
        } catch (YamlText.Malformed e) {
            problem("", source + " " + e.getMessage(), "YAML that has each key once");
        }
        return this;
    }

    /** Overrides a setting, written {@code path=value}. */
    public ConfigLoader set(String assignment) {
        int equals = ConfigPath.equalsSign(assignment);
        if (equals < 0) {
            // If the equals sign was mistyped, the text after the name is possibly a secret.
            problem("--set", NO_NAME.matcher(assignment).replaceFirst("..."), "KEY=VALUE");
            return this;
        }
        return set(assignment.substring(0, equals), assignment.substring(equals + 1));
    }

    /** Overrides the parts of {@code listen} that are not null. */
    public ConfigLoader listen(@Nullable String host, @Nullable String port) {
        if (host == null && port == null) {
            return this;
        }
        String before = tree.path(ConfigKeys.LISTEN.name()).asText(ConfigKeys.LISTEN.fallbackWords());
        int colon = before.lastIndexOf(':');
        String bare = host == null || host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]";
        return set(
                ConfigKeys.LISTEN.path(),
                (bare == null ? before.substring(0, Math.max(0, colon)) : bare) + ":"
                        + (port == null ? before.substring(colon + 1) : port));
    }

    public ConfigLoader set(String path, String value) {
        return set(path, value, Settings.Setting.Source.OPTION);
    }

    ConfigLoader set(String path, String value, Settings.Setting.Source source) {
        List<String> names;
        try {
            names = ConfigPath.parse(path);
        } catch (IllegalArgumentException e) {
            problem("--set", path, "names joined by dots, unusual ones in backticks");
            return this;
        }
        String quoted = names.stream().map(ConfigPath::quote).collect(Collectors.joining("."));
        reading.assigned().put(quoted, source);
        reading.places().remove(quoted);
        ObjectNode at = tree;
        for (String name : names.subList(0, names.size() - 1)) {
            at = at.get(name) instanceof ObjectNode inner ? inner : at.putObject(name);
        }
        at.put(names.get(names.size() - 1), value);
        return this;
    }

    /** Fails if the next configuration has no key, or lost a section that protects this gateway. */
    void refuseLosses(ConfigLoader next) throws ConfigException {
        List<ConfigException.Problem> losses = new ArrayList<>();
        if (!fileIsEmpty && next.fileIsEmpty) {
            losses.add(new ConfigException.Problem("", "a file without any key", OR_FORCE));
        }
        for (String guard : GUARDS) {
            if (tree.path(guard).size() > 0 && next.tree.path(guard).size() == 0) {
                losses.add(new ConfigException.Problem(guard, "none", OR_FORCE));
            }
        }
        if (!losses.isEmpty()) {
            throw new ConfigException(losses);
        }
    }

    /** Returns the checked configuration. Must be called once. */
    public GatewayConfig load() throws ConfigException {
        new ConfigShape(reading).check(tree);
        ConfigSection root = new ConfigSection(tree, reading);
        Settings settings = root.settings(null);
        Settings anyTable =
                root.entry(ConfigKey.TABLE, "", MissingNode.getInstance()).settings(settings);
        List<Settings> users = new ArrayList<>();
        for (JsonNode user : tree.path("users")) {
            users.add(root.entry(ConfigKey.USER, "users[" + users.size() + "]", user)
                    .settings(settings));
        }
        Map<TableName, Settings> tables = new HashMap<>();
        for (Map.Entry<String, JsonNode> schema : tree.path("tables").properties()) {
            for (Map.Entry<String, JsonNode> table : schema.getValue().properties()) {
                String at = "tables." + ConfigPath.quote(schema.getKey()) + "." + ConfigPath.quote(table.getKey());
                tables.put(
                        new TableName(schema.getKey(), table.getKey()),
                        root.entry(ConfigKey.TABLE, at, table.getValue()).settings(anyTable));
            }
        }
        List<GatewayConfig.User> accounts = new UserSections(reading).users(settings, users);
        GatewayConfig config = new GatewayConfig(settings, users, accounts, anyTable, tables);
        new ConfigChecks(reading).check(config);
        if (!reading.problems().isEmpty()) {
            throw new ConfigException(reading.problems());
        }
        return config;
    }

    private void problem(String path, String value, String expected) {
        reading.problem(path, value, expected);
    }
}
