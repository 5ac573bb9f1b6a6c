package org.keyline.gateway.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reports unknown names in a configuration. Messages never quote values, which may be secrets. */
final class ConfigShape {
    private final ConfigSection.Reading reading;

    ConfigShape(ConfigSection.Reading reading) {
        this.reading = reading;
    }

    void check() {
        Map<String, String> sections = new HashMap<>(Map.of("", ""));
        for (ConfigNode node : reading.nodes().values()) {
            String outer = sections.get(node.parent());
            String section = outer == null ? null : section(node, outer);
            if (section != null) {
                sections.put(node.path(), section);
            }
        }
    }

    /**
     * Returns the section whose keys a node may contain, as {@link ConfigKeys} names it; null if
     * none, or after a problem.
     */
    private @Nullable String section(ConfigNode node, String outer) {
        if (node.isElement()) {
            return expect(ConfigNode.Shape.MAPPING, node, outer);
        }
        List<String> known = ConfigKeys.namesIn(outer);
        String name = ConfigKeys.isAnyName(known.get(0)) ? known.get(0) : node.name();
        String section = outer.isEmpty() ? name : outer + "." + name;
        if (isJoined(node, outer)) {
            int dot = node.name().indexOf('.');
            reading.problem(
                    node.path(),
                    "one name with a dot",
                    node.name().substring(0, dot) + ": and below it "
                            + node.name().substring(dot + 1) + ":");
            return null;
        }
        if (known.contains(name + "[]")) {
            return expect(ConfigNode.Shape.LIST, node, section + "[]");
        }
        if (!known.contains(name)) {
            unknown(name, node.path(), known);
            return null;
        }
        return ConfigKeys.namesIn(section).isEmpty() ? null : expect(ConfigNode.Shape.MAPPING, node, section);
    }

    private @Nullable String expect(ConfigNode.Shape shape, ConfigNode node, String section) {
        if (node.shape() == shape) {
            return section;
        }
        if (node.shape() != ConfigNode.Shape.NOTHING) {
            String keys = section.startsWith("tables") ? ", as in tables.DB.TABLE.ttl" : " of keys";
            reading.problem(
                    node.path(),
                    node.shape().toString(),
                    shape == ConfigNode.Shape.LIST ? "a list" : "a mapping" + keys);
        }
        return null;
    }

    /** Returns whether a name is a dotted path, and not a database or table with a dot in it. */
    private boolean isJoined(ConfigNode node, String section) {
        int dot = node.name().indexOf('.');
        if (dot <= 0 || dot == node.name().length() - 1) {
            return false;
        }
        String path = section.isEmpty() ? node.name() : section + "." + node.name();
        return switch (section) {
            case "tables" ->
                node.shape() == ConfigNode.Shape.MAPPING
                        && reading.within(node.path()).stream()
                                .anyMatch(inner -> inner.shape().isSingle());
            case "tables.DB" -> node.shape() == ConfigNode.Shape.SINGLE_VALUE;
            default -> ConfigKeys.ALL.stream().anyMatch(key -> key.path().equals(path));
        };
    }

    /** Reports an unknown key. Suggests a similar key here, or the same name elsewhere. */
    private void unknown(String name, String path, List<String> inSection) {
        List<String> known =
                inSection.stream().map(each -> each.replace("[]", "")).toList();
        String here = Nearest.question(name, known);
        String elsewhere = ConfigKeys.ALL.stream()
                .filter(key -> key.name().equals(name))
                .map(key -> ", did you mean " + key.path() + "?")
                .findFirst()
                .orElse("");
        reading.problem(path, "unknown key" + (here.isEmpty() ? elsewhere : here), String.join(", ", known));
    }
}
