package org.keyline.ycsb;

import java.util.regex.Pattern;

/** Names of tables and columns: checked, since SQL cannot bind them. */
final class Identifiers {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");

    private Identifiers() {}

    /** The name in backticks.
     *
     * @throws IllegalArgumentException unless it is 1..64 ASCII letters, digits and underscores, not led by a digit
     */
    static String quoted(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("name: '" + name + "' (expected: letters, digits and underscores)");
        }
        return '`' + name + '`';
    }
}
