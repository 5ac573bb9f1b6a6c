package org.keyline.gateway.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
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

    public ConfigLoader(Map<String, String> environment) {
        this(environment, Runtime.getRuntime().maxMemory(), Runtime.getRuntime().availableProcessors());
    }

    ConfigLoader(Map<String, String> environment, long heapBytes, int processors) {
        this(new ConfigSection.Reading(
                new ValueType.Machine(heapBytes, processors), environment, new LinkedHashMap<>(), new ArrayList<>()));
    }

    private ConfigLoader(ConfigSection.Reading reading) {
        this.reading = reading;
    }

    ConfigLoader copy() {
        return new ConfigLoader(reading.copy());
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
            List<ConfigNode> read = YamlText.parse(text, source);
            ConfigNode.Shape shape =
                    read.isEmpty() ? ConfigNode.Shape.NOTHING : read.get(0).shape();
            if (shape == ConfigNode.Shape.MAPPING) {
                read.subList(1, read.size()).forEach(node -> reading.nodes().put(node.path(), node));
                fileIsEmpty = read.size() == 1;
            } else if (shape != ConfigNode.Shape.NOTHING) {
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
        ConfigNode given = reading.nodes().get(ConfigKeys.LISTEN.path());
        String before = given == null || given.text().isEmpty() ? ConfigKeys.LISTEN.fallbackWords() : given.text();
        int colon = before.lastIndexOf(':');
        String bare = host == null || host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]";
        return set(
                ConfigKeys.LISTEN.path(),
                (bare == null ? before.substring(0, Math.max(0, colon)) : bare) + ":"
                        + (port == null ? before.substring(colon + 1) : port));
    }

    public ConfigLoader set(String path, String value) {
        return set(path, value, Settings.Source.OPTION);
    }

    ConfigLoader set(String path, String value, Settings.Source source) {
        List<String> names;
        try {
            names = ConfigPath.parse(path);
        } catch (IllegalArgumentException e) {
            problem("--set", path, "names joined by dots, unusual ones in backticks");
            return this;
        }
        String parent = "";
        for (int i = 0; i < names.size(); i++) {
            boolean isLast = i == names.size() - 1;
            String at = ConfigPath.join(parent, names.get(i));
            ConfigNode known = reading.nodes().get(at);
            if (isLast || known == null || known.shape() != ConfigNode.Shape.MAPPING) {
                reading.nodes().keySet().removeIf(each -> each.startsWith(at + ".") || each.startsWith(at + "["));
                ConfigNode.Shape shape = isLast ? ConfigNode.Shape.SINGLE_VALUE : ConfigNode.Shape.MAPPING;
                reading.nodes()
                        .put(at, new ConfigNode(at, parent, names.get(i), shape, isLast ? value : "", "", source));
            }
            parent = at;
        }
        return this;
    }

    /** Fails if the next configuration has no key, or lost a section that protects this gateway. */
    void refuseLosses(ConfigLoader next) throws ConfigException {
        List<ConfigException.Problem> losses = new ArrayList<>();
        if (!fileIsEmpty && next.fileIsEmpty) {
            losses.add(new ConfigException.Problem("", "a file without any key", OR_FORCE));
        }
        for (String guard : GUARDS) {
            if (has(guard) && !next.has(guard)) {
                losses.add(new ConfigException.Problem(guard, "none", OR_FORCE));
            }
        }
        if (!losses.isEmpty()) {
            throw new ConfigException(losses);
        }
    }

    private boolean has(String section) {
        return reading.nodes().values().stream().anyMatch(node -> node.parent().equals(section));
    }

    /** Returns the checked configuration. */
    public GatewayConfig load() throws ConfigException {
        ConfigSection.Reading all = reading.copy();
        new ConfigShape(all).check();
        Settings settings = new ConfigSection(null, "", "", all).settings();
        Settings anyTable = new ConfigSection(settings, ConfigKey.TABLE, "", all).settings();
        List<Settings> users = new ArrayList<>();
        for (ConfigNode user : all.within("users")) {
            if (user.isElement()) {
                users.add(new ConfigSection(settings, ConfigKey.USER, user.path(), all).settings());
            }
        }
        Map<TableName, Settings> tables = new HashMap<>();
        for (ConfigNode schema : all.within("tables")) {
            for (ConfigNode table : all.within(schema.path())) {
                tables.put(
                        new TableName(schema.name(), table.name()),
                        new ConfigSection(anyTable, ConfigKey.TABLE, table.path(), all).settings());
            }
        }
        List<GatewayConfig.User> accounts = new UserSections(all).users(settings, users);
        GatewayConfig config = new GatewayConfig(settings, users, accounts, anyTable, tables);
        new ConfigChecks(all).check(config);
        if (!all.problems().isEmpty()) {
            throw new ConfigException(all.problems());
        }
        return config;
    }

    private void problem(String path, String value, String expected) {
        reading.problem(path, value, expected);
    }
}
