package org.keyline.stores.duckdb.session;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.translate.Resources;

/** The system variables of {@code variables.txt}, and their global values. Thread-safe. */
public final class SystemVariables {
    enum Scope {
        /** Each session has its own value. */
        SESSION,
        /** All sessions share one value. */
        GLOBAL,
        /** The value cannot be set. */
        FIXED,
        /** The variable can be set, but only to its initial value. */
        INITIAL_ONLY
    }

    enum Kind {
        INTEGER,
        SWITCH,
        TEXT
    }

    record Definition(String name, Scope scope, Kind kind, String initial) {}

    private final Map<String, Definition> definitions = new LinkedHashMap<>();
    private final Set<String> harmless = new HashSet<>();
    private final Map<String, String> globals = new ConcurrentHashMap<>();

    /** @param version the value of {@code @@version} */
    public SystemVariables(String version) {
        for (String line : Resources.lines(SystemVariables.class, "variables.txt")) {
            String[] words = line.split(" ", 4);
            String initial = words.length == 4 ? words[3].replace("@version@", version) : "";
            Scope scope = switch (words[0]) {
                case "s", "p" -> Scope.SESSION;
                case "g" -> Scope.GLOBAL;
                case "d" -> Scope.INITIAL_ONLY;
                default -> Scope.FIXED;
            };
            Kind kind = switch (words[1]) {
                case "i" -> Kind.INTEGER;
                case "b" -> Kind.SWITCH;
                default -> Kind.TEXT;
            };
            definitions.put(words[2], new Definition(words[2], scope, kind, initial));
            if (words[0].equals("p")) {
                harmless.add(words[2]);
            }
        }
    }

    /** Returns the names of the variables that only affect how Doris plans and runs a statement. */
    public Set<String> harmless() {
        return Collections.unmodifiableSet(harmless);
    }

    /**
     * Returns the variable with this name; null if it does not exist. All names that begin with
     * {@code keyline_} exist, as session variables. Names that begin with {@code tx_} are the old
     * names of variables that begin with {@code transaction_}.
     */
    @Nullable
    Definition find(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        String key = lower.startsWith("tx_") ? "transaction_" + lower.substring(3) : lower;
        Definition definition = definitions.get(key);
        return definition == null && key.startsWith("keyline_")
                ? new Definition(key, Scope.SESSION, Kind.TEXT, "")
                : definition;
    }

    /** Returns the variable with this name. Throws error 1193 if it does not exist. */
    Definition require(String name) {
        Definition definition = find(name);
        if (definition == null) {
            throw Errors.error(1193, "HY000", "Unknown system variable '" + name + "'");
        }
        return definition;
    }

    Collection<Definition> all() {
        return definitions.values();
    }

    String global(Definition definition) {
        return globals.getOrDefault(definition.name(), definition.initial());
    }

    /** Returns the global values that SET GLOBAL has changed. */
    Map<String, String> globals() {
        return Collections.unmodifiableMap(globals);
    }

    void setGlobal(Definition definition, String value) {
        globals.put(definition.name(), value);
    }
}
