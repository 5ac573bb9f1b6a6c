package org.keyline.gateway.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/** Reports unknown names in a YAML tree. Messages never quote values, which may be secrets. */
final class ConfigShape {
    private final ConfigSection.Reading reading;

    ConfigShape(ConfigSection.Reading reading) {
        this.reading = reading;
    }

    void check(JsonNode root) {
        mapping(root, "", "");
    }

    /** @param section the name of the node's section in {@link ConfigKeys} */
    private void mapping(JsonNode node, String path, String section) {
        if (node.isNull()) {
            return;
        }
        if (!node.isObject()) {
            String expected =
                    section.startsWith("tables") ? "a mapping, as in tables.DB.TABLE.ttl" : "a mapping of keys";
            reading.problem(path, of(node), expected);
            return;
        }
        List<String> known = ConfigKeys.namesIn(section);
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String at = (path.isEmpty() ? "" : path + ".") + ConfigPath.quote(field.getKey());
            String name = ConfigKeys.isAnyName(known.get(0)) ? known.get(0) : field.getKey();
            String inner = section.isEmpty() ? name : section + "." + name;
            if (isJoined(field.getKey(), section, field.getValue())) {
                int dot = field.getKey().indexOf('.');
                reading.problem(
                        at,
                        "one name with a dot",
                        field.getKey().substring(0, dot) + ": and below it "
                                + field.getKey().substring(dot + 1) + ":");
            } else if (known.contains(name + "[]")) {
                list(field.getValue(), at, inner + "[]");
            } else if (!known.contains(name)) {
                unknown(name, at, known);
            } else if (!ConfigKeys.namesIn(inner).isEmpty()) {
                mapping(field.getValue(), at, inner);
            }
        }
    }

    /** Returns whether a name is a dotted path, and not a database or table with a dot in it. */
    private static boolean isJoined(String name, String section, JsonNode value) {
        int dot = name.indexOf('.');
        if (dot <= 0 || dot == name.length() - 1) {
            return false;
        }
        String path = section.isEmpty() ? name : section + "." + name;
        return switch (section) {
            case "tables" -> value.isObject() && value.valueStream().anyMatch(JsonNode::isValueNode);
            case "tables.DB" -> value.isValueNode() && !value.isNull();
            default -> ConfigKeys.ALL.stream().anyMatch(key -> key.path().equals(path));
        };
    }

    private void list(JsonNode list, String path, String section) {
        if (list.isArray()) {
            for (int i = 0; i < list.size(); i++) {
                mapping(list.get(i), path + "[" + i + "]", section);
            }
        } else if (!list.isNull()) {
            reading.problem(path, of(list), "a list");
        }
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

    static String of(JsonNode node) {
        if (node.isObject()) {
            return "a mapping";
        }
        return node.isArray() ? "a list" : "a single value";
    }
}
