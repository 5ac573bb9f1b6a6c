package org.keyline.gateway.config;

import java.util.List;
import java.util.stream.Collectors;

/** The configuration cannot be used. Carries every problem found, not only the first. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * One thing that is wrong.
     *
     * @param path dotted path of the key, empty for the file as a whole
     * @param value what stands there
     * @param expected what may stand there
     * @param place file, line and column; empty where it is not known
     */
    public record Problem(String path, String value, String expected, String place) implements java.io.Serializable {
        public Problem(String path, String value, String expected) {
            this(path, value, expected, "");
        }

        /** Returns the text with its place ahead. */
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
