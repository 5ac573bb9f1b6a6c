package org.keyline.gateway.config;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown for an unusable configuration. Lists all of its problems. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * A problem of the configuration.
     *
     * @param path the dotted path of the key; empty for the file as a whole
     * @param value the configured value
     * @param expected the allowed values
     * @param place file, line and column; empty if unknown
     */
    public record Problem(String path, String value, String expected, String place) implements java.io.Serializable {
        public Problem(String path, String value, String expected) {
            this(path, value, expected, "");
        }

        /** Returns the problem as text. The text begins with the place if the place is known. */
        public String located() {
            return place.isEmpty() ? toString() : place + ": " + this;
        }

        @Override
        public String toString() {
            return (path.isEmpty() ? "" : path + ": ") + value + " (expected: " + expected + ")";
        }
    }

    private final transient List<Problem> problems;

    public ConfigException(List<Problem> problems) {
        super(problems.stream().map(Problem::located).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }
}
