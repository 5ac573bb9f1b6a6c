package org.keyline.ycsb;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A command's options, {@code --name value}, as its usage declares them. Immutable. */
final class Options {
    private static final Pattern DECLARED = Pattern.compile("(?m)^ *--(?<name>[a-z-]+).*?(\\[(?<default>[^]]*)])?$");
    private static final Pattern NAMED = Pattern.compile("\\{([a-z-]+)}");

    private final Map<String, String> defaults = new HashMap<>();
    private final Map<String, List<String>> given = new HashMap<>();

    /** @param usage declares the options; appended to the message of an error */
    Options(String usage, List<String> arguments) {
        for (Matcher option = DECLARED.matcher(usage); option.find(); ) {
            String value = option.group("default");
            defaults.put(option.group("name"), value == null ? "" : value);
        }
        for (int i = 0; i < arguments.size(); i += 2) {
            String name = arguments.get(i).replaceFirst("^--", "");
            if (!arguments.get(i).startsWith("--") || !defaults.containsKey(name)) {
                throw new IllegalArgumentException("no such option: " + arguments.get(i) + "\n\n" + usage);
            }
            if (i + 1 == arguments.size()) {
                throw new IllegalArgumentException("--" + name + " needs a value\n\n" + usage);
            }
            given.computeIfAbsent(name, n -> new ArrayList<>()).add(arguments.get(i + 1));
        }
    }

    /** Returns the usage of the options of most experiments, with two given defaults. */
    static String common(String mariaDb, String javaOption) {
        return """
                  --mariadb WHERE       HOST:PORT (root without a password), or "installed" to start the one installed here [%s]
                  --gateway JAR         [gateway/target/keyline.jar]
                  --java OPTION         one argument of the gateways' JVMs, repeatable [%s]
                """.formatted(mariaDb, javaOption);
    }

    /** Returns the last value given, or the default. */
    String text(String name) {
        List<String> values = all(name);
        return values.isEmpty() ? "" : values.get(values.size() - 1);
    }

    /** Returns every value given, or the default if none is given. */
    List<String> all(String name) {
        String fallback = defaults.get(name);
        if (fallback == null) {
            throw new IllegalStateException("no such option: " + name);
        }
        return given.getOrDefault(name, fallback.isEmpty() ? List.of() : List.of(fallback));
    }

    /** Returns every value given; empty if none is, or the command lacks the option. */
    List<String> allOrNone(String name) {
        return given.getOrDefault(name, List.of());
    }

    Path path(String name) {
        return Path.of(text(name));
    }

    /** Returns the comma-separated words of an option. Each must be one of {@code allowed}. */
    List<String> choices(String name, String... allowed) {
        List<String> words = words(name).toList();
        if (!Arrays.asList(allowed).containsAll(words)) {
            String expected = String.join(", ", allowed).replaceFirst(", ([^,]*)$", " or $1");
            throw new IllegalArgumentException("--" + name + " " + text(name) + " (expected: " + expected + ")");
        }
        return words;
    }

    /** Returns the number of an option, 1 or more. */
    int count(String name) {
        return number(name, text(name), 1);
    }

    int countOrNone(String name) {
        return number(name, text(name), 0);
    }

    /** Returns the comma-separated numbers of an option, each 1 or more. */
    List<Integer> counts(String name) {
        return words(name).map(text -> number(name, text, 1)).toList();
    }

    List<Double> shares(String name) {
        return words(name).map(Double::valueOf).toList();
    }

    private Stream<String> words(String name) {
        return Stream.of(text(name).split(",", -1));
    }

    /** Replaces each {@code {name}} by the values of that option. */
    String filled(String template) {
        return NAMED.matcher(template)
                .replaceAll((MatchResult name) -> Matcher.quoteReplacement(String.join(" ", all(name.group(1)))));
    }

    private static int number(String name, String text, int least) {
        if (!text.matches("\\d{1,9}") || Integer.parseInt(text) < least) {
            throw new IllegalArgumentException("--" + name + " " + text + " (expected: a number >= " + least + ")");
        }
        return Integer.parseInt(text);
    }
}
