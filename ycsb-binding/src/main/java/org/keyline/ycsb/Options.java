package org.keyline.ycsb;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Options of one command, {@code --name value}, each with a default. Immutable. */
final class Options {
    private final Map<String, String> defaults;
    private final Map<String, List<String>> given = new HashMap<>();

    /**
     * Parses the arguments of a command.
     *
     * @param usage appended to the message of an error
     * @param defaults all option names, without dashes; an empty value means none
     * @throws IllegalArgumentException for an unknown name, or a name without its value
     */
    Options(String usage, Map<String, String> defaults, List<String> arguments) {
        this.defaults = Map.copyOf(defaults);
        for (int i = 0; i < arguments.size(); i += 2) {
            String name = arguments.get(i).replaceFirst("^--", "");
            if (!arguments.get(i).startsWith("--") || !defaults.containsKey(name)) {
                throw new IllegalArgumentException("no such option: " + arguments.get(i) + "\n\n" + usage);
            }
            if (i + 1 == arguments.size()) {
                throw new IllegalArgumentException(arguments.get(i) + " needs a value\n\n" + usage);
            }
            given.computeIfAbsent(name, n -> new ArrayList<>()).add(arguments.get(i + 1));
        }
    }

    /** Returns the last value given, or the default. */
    String text(String name) {
        List<String> values = all(name);
        return values.isEmpty() ? "" : values.get(values.size() - 1);
    }

    /** Returns every value given, or the default if there is none. */
    List<String> all(String name) {
        String fallback = defaults.get(name);
        if (fallback == null) {
            throw new IllegalStateException("no such option: " + name);
        }
        return given.getOrDefault(name, fallback.isEmpty() ? List.of() : List.of(fallback));
    }

    Path path(String name) {
        return Path.of(text(name));
    }

    /** Returns a number, 1 or more. */
    int count(String name) {
        return count(name, text(name));
    }

    /** Returns a number, 0 or more. */
    int countOrNone(String name) {
        return number(name, text(name), 0);
    }

    /** Returns comma-separated numbers, each 1 or more. */
    List<Integer> counts(String name) {
        return Arrays.stream(text(name).split(",", -1))
                .map(text -> count(name, text))
                .toList();
    }

    private static int count(String name, String text) {
        return number(name, text, 1);
    }

    private static int number(String name, String text, int least) {
        String refused = "--" + name + " " + text + " (expected: a number >= " + least + ")";
        try {
            int number = Integer.parseInt(text);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException notNumber) {
            throw new IllegalArgumentException(refused, notNumber);
        }
        throw new IllegalArgumentException(refused);
    }
}
