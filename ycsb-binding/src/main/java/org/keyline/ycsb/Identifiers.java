package org.keyline.ycsb;

import java.util.regex.Pattern;

/** Quotes names of tables and columns. Checks them, because SQL cannot bind names. */
final class Identifiers {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");

    private Identifiers() {}

    /**
     * @throws IllegalArgumentException unless the name is 1..64 ASCII letters, digits and
     * underscores, and does not begin with a digit
     */
    static String quoted(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("name: '" + name + "' (expected: letters, digits and underscores)");
        }
        return '`' + name + '`';
    }
}
