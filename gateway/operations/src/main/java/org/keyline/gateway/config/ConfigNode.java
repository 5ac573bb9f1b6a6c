package org.keyline.gateway.config;

import java.util.Locale;

/**
 * A value, list or mapping that a source of the configuration has.
 *
 * @param path the names that lead here, quoted where necessary, with the indexes of lists
 * @param parent the path of the list or mapping that this is part of
 * @param name the last name of the path; empty for an element of a list
 * @param text the text of a single value; empty for all others
 * @param place file, line and column; empty if no file has it
 */
record ConfigNode(
        String path, String parent, String name, Shape shape, String text, String place, Settings.Source source) {
    enum Shape {
        NOTHING,
        SINGLE_VALUE,
        LIST,
        MAPPING;

        boolean isSingle() {
            return this == NOTHING || this == SINGLE_VALUE;
        }

        @Override
        public String toString() {
            return "a " + name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** Returns whether this is an element of a list. */
    boolean isElement() {
        return path.endsWith("]");
    }
}
