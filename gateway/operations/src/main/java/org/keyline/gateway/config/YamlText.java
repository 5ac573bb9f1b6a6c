package org.keyline.gateway.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Parses YAML into nodes in which every scalar is the text as written: {@code password: 0123} is
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

    private final YAMLParser parser;
    private final String source;
    private final List<ConfigNode> nodes = new ArrayList<>();

    private YamlText(YAMLParser parser, String source) {
        this.parser = parser;
        this.source = source;
    }

    /** Thrown for a text that is not YAML, or that no configuration may contain. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        private Malformed(String place, String what) {
            super(place.isEmpty() ? what : place + ": " + what);
        }
    }

    /**
     * Returns the nodes of the text's only document, each before those within it. The first is the
     * whole document, with an empty path. An empty text has no nodes.
     *
     * @param source the name of the text in places
     */
    static List<ConfigNode> parse(String text, String source) throws Malformed {
        try (YAMLParser parser = YAML.createParser(text)) {
            YamlText reading = new YamlText(parser, source);
            if (parser.nextToken() != null) {
                reading.add("", "", "", "");
                if (parser.nextToken() != null) {
                    throw new Malformed(reading.here(), "a second document");
                }
            }
            return reading.nodes;
        } catch (JsonProcessingException e) {
            if (e.getCause() instanceof MarkedYAMLException problem && problem.getProblemMark() != null) {
                // The exception's own location is that of the last token before the problem.
                Mark mark = problem.getProblemMark();
                throw new Malformed(
                        place(mark.getLine() + 1, mark.getColumn() + 1), what(String.valueOf(problem.getProblem())));
            }
            JsonLocation at = e.getLocation();
            throw new Malformed(
                    at == null ? "" : place(at.getLineNr(), at.getColumnNr()),
                    what(String.valueOf(e.getOriginalMessage())));
        } catch (IOException e) {
            throw new IllegalStateException("a text could not be read", e);
        }
    }

    private String here() {
        JsonLocation at = parser.currentTokenLocation();
        return place(at.getLineNr(), at.getColumnNr());
    }

    private static String place(int line, int column) {
        return "line " + line + ", column " + column;
    }

    private void add(String path, String parent, String name, String place) throws IOException, Malformed {
        // The parser would drop an unquoted value that begins with *, & or !.
        if (parser.isCurrentAlias() || parser.getObjectId() != null || parser.getTypeId() != null) {
            throw new Malformed(here(), "a value that begins with *, & or ! is not quoted");
        }
        ConfigNode.Shape shape = shape(parser.currentToken());
        String text = shape == ConfigNode.Shape.SINGLE_VALUE ? parser.getText() : "";
        nodes.add(new ConfigNode(path, parent, name, shape, text, place, Settings.Source.FILE));
        if (shape == ConfigNode.Shape.MAPPING) {
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String inner = parser.currentName();
                String at = source + " " + here();
                parser.nextToken();
                add(ConfigPath.join(path, inner), path, inner, at);
            }
        } else if (shape == ConfigNode.Shape.LIST) {
            for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
                add(path + "[" + i + "]", path, "", "");
            }
        }
    }

    private static ConfigNode.Shape shape(JsonToken token) {
        return switch (token) {
            case START_OBJECT -> ConfigNode.Shape.MAPPING;
            case START_ARRAY -> ConfigNode.Shape.LIST;
            case VALUE_NULL -> ConfigNode.Shape.NOTHING;
            default -> ConfigNode.Shape.SINGLE_VALUE;
        };
    }

    private static String what(String message) {
        Matcher twice = TWICE.matcher(message);
        if (twice.find()) {
            return "a key twice" + (ConfigKeys.knows(twice.group(1)) ? ": " + twice.group(1) : "");
        }
        return QUOTING_NOTHING.stream().filter(message::contains).findFirst().orElse("not YAML");
    }
}
