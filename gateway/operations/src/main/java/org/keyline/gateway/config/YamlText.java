package org.keyline.gateway.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Parses YAML into a tree in which every scalar is the text as written: {@code password: 0123} is
 * those four characters, not the number 83. Errors report the position but quote no text, because
 * the text may be secret.
 */
final class YamlText {
    private static final YAMLFactory YAML = YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private static final Pattern TWICE = Pattern.compile("^Duplicate field '([^']*)'");

    /** The parser's messages that errors may show, because they quote no part of the text. */
    private static final List<String> QUOTING_NOTHING = List.of(
            "mapping values are not allowed here",
            "could not find expected ':'",
            "expected <block end>",
            "found unexpected end of stream",
            "expected ',' or ']'",
            "expected ',' or '}'",
            "found unknown escape character",
            "undefined alias",
            "Do not use \\t(TAB) for indentation",
            "cannot start any token");

    private YamlText() {}

    /** Thrown for a text that is not YAML, or that no configuration may contain. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        private Malformed(String place, String what) {
            super(place.isEmpty() ? what : place + ": " + what);
        }
    }

    /**
     * Returns the only document of a text; null if the text is empty.
     *
     * @param places receives line and column of each key, by its path
     */
    static @Nullable JsonNode parse(String text, Map<String, String> places) throws Malformed {
        try (YAMLParser parser = YAML.createParser(text)) {
            if (parser.nextToken() == null) {
                return null;
            }
            JsonNode root = node(parser, "", places);
            if (parser.nextToken() != null) {
                throw new Malformed(place(parser.currentTokenLocation()), "a second document");
            }
            return root;
        } catch (JsonProcessingException e) {
            if (e.getCause() instanceof MarkedYAMLException problem && problem.getProblemMark() != null) {
                // The exception's own location is that of the last token before the problem.
                Mark mark = problem.getProblemMark();
                throw new Malformed(
                        place(mark.getLine() + 1, mark.getColumn() + 1), what(String.valueOf(problem.getProblem())));
            }
            JsonLocation at = e.getLocation();
            throw new Malformed(at == null ? "" : place(at), what(String.valueOf(e.getOriginalMessage())));
        } catch (IOException e) {
            throw new IllegalStateException("a text could not be read", e);
        }
    }

    private static String place(JsonLocation at) {
        return place(at.getLineNr(), at.getColumnNr());
    }

    private static String place(int line, int column) {
        return "line " + line + ", column " + column;
    }

    private static JsonNode node(YAMLParser parser, String path, Map<String, String> places)
            throws IOException, Malformed {
        JsonToken token = parser.currentToken();
        // The parser would drop an unquoted value that begins with *, & or !.
        if (parser.isCurrentAlias() || parser.getObjectId() != null || parser.getTypeId() != null) {
            throw new Malformed(
                    place(parser.currentTokenLocation()), "a value that begins with *, & or ! is not quoted");
        }
        if (token == JsonToken.START_OBJECT) {
            ObjectNode mapping = JsonNodeFactory.instance.objectNode();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                String at = (path.isEmpty() ? "" : path + ".") + ConfigPath.quote(name);
                places.put(at, place(parser.currentTokenLocation()));
                parser.nextToken();
                mapping.set(name, node(parser, at, places));
            }
            return mapping;
        }
        if (token == JsonToken.START_ARRAY) {
            ArrayNode list = JsonNodeFactory.instance.arrayNode();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                list.add(node(parser, path + "[" + list.size() + "]", places));
            }
            return list;
        }
        return token == JsonToken.VALUE_NULL
                ? JsonNodeFactory.instance.nullNode()
                : JsonNodeFactory.instance.textNode(parser.getText());
    }

    private static String what(String message) {
        Matcher twice = TWICE.matcher(message);
        if (twice.find()) {
            return "a key twice" + (ConfigKeys.knows(twice.group(1)) ? ": " + twice.group(1) : "");
        }
        return QUOTING_NOTHING.stream().filter(message::contains).findFirst().orElse("not YAML");
    }
}
