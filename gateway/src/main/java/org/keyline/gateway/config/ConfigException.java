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
     */
    public record Problem(String path, String value, String expected) implements java.io.Serializable {
        @Override
        public String toString() {
            return (path.isEmpty() ? "" : path + ": ") + value + " (expected: " + expected + ")";
        }
    }

    private final transient List<Problem> problems;

    public ConfigException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }
}
