package org.keyline.stores.mysql.catalog;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What statements may run in a store beside their own text. Immutable.
 *
 * @param functions whether there may be stored functions
 * @param triggers whether there may be triggers
 * @param names those of the functions that were read, in upper case
 * @param callers views that may call functions, by their names without schema in lower case
 * @param anyView whether any view may, since not all are seen
 * @param read whether the store said so; if not, it is the worst that may be while definitions change
 */
record StoredCode(
        boolean functions, boolean triggers, Set<String> names, Set<String> callers, boolean anyView, boolean read) {
    /** None at all. */
    static final StoredCode NONE = new StoredCode(false, false, Set.of(), Set.of(), false, true);
    /** Nothing is known. */
    static final StoredCode ANY = new StoredCode(true, true, Set.of(), Set.of(), true, false);

    /** Servers write names of stored functions quoted, and those of their own functions as they are. */
    private static final Pattern CALL = Pattern.compile("[`\"]\\s*\\(");

    StoredCode {
        names = Set.copyOf(names);
        callers = Set.copyOf(callers);
    }

    /** Whether it is sure that there is something to be run. */
    boolean runs() {
        return read && (functions || triggers);
    }

    boolean mayCallFunctions(String view) {
        return functions && (anyView || callers.contains(view.toLowerCase(Locale.ROOT)));
    }

    StoredCode and(StoredCode other) {
        Set<String> both = new HashSet<>(callers);
        both.addAll(other.callers);
        Set<String> all = new HashSet<>(names);
        all.addAll(other.names);
        return new StoredCode(
                functions || other.functions,
                triggers || other.triggers,
                all,
                both,
                anyView || other.anyView,
                read && other.read);
    }

    /**
     * Views that call functions, or read views that do.
     *
     * @param definitions by names in lower case
     */
    static Set<String> callers(Map<String, String> definitions) {
        Set<String> callers = new HashSet<>();
        Map<String, String> others = new HashMap<>(definitions);
        boolean more = true;
        while (more) {
            more = others.entrySet().removeIf(view -> {
                String text = view.getValue();
                boolean calls = text.isEmpty()
                        || CALL.matcher(text).find()
                        || callers.stream().anyMatch(text.toLowerCase(Locale.ROOT)::contains);
                return calls && callers.add(view.getKey());
            });
        }
        return callers;
    }
}
