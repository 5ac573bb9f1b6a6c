package org.keyline.stores.mysql.catalog;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The stored functions and triggers that statements may run. Immutable.
 *
 * @param names the names of the functions that were read, in upper case
 * @param callers the names of views that may call functions, in lower case and without schema
 * @param anyView whether every view must be assumed to call functions, because Keyline could not
 * read all views
 * @param read whether the store reported this code; false if Keyline assumes the worst, because the
 * code is changing
 */
record StoredCode(
        boolean functions, boolean triggers, Set<String> names, Set<String> callers, boolean anyView, boolean read) {
    static final StoredCode NONE = new StoredCode(false, false, Set.of(), Set.of(), false, true);
    /** Unknown stored code, which any statement may run. */
    static final StoredCode ANY = new StoredCode(true, true, Set.of(), Set.of(), true, false);

    /** Matches a call. Servers quote the names of stored functions, but not of built-in ones. */
    private static final Pattern CALL = Pattern.compile("[`\"]\\s*\\(");

    StoredCode {
        names = Set.copyOf(names);
        callers = Set.copyOf(callers);
    }

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
     * Returns the views that call functions, directly or through other views.
     *
     * @param definitions the texts of the views, empty if unknown, by names in lower case
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
