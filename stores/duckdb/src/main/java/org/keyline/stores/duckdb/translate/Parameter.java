package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;

/**
 * A {@code ?} of a DuckDB statement: the source of its value, and the conversion before it is
 * bound.
 *
 * @param source the source of the value
 * @param slot the slot among the literals and placeholders in text order; -1 for other sources
 * @param name the name of the variable; empty for other sources
 * @param conversion the conversion by {@link Values#converted}
 * @param column the column that stores the value, for {@link Conversion#STORE}
 * @param peer the exact number that is compared with the value, for {@link Conversion#EQUAL}, FLOOR
 *     and CEILING
 * @param negated whether a minus sign precedes the slot
 */
public record Parameter(
        Source source,
        int slot,
        String name,
        Conversion conversion,
        @Nullable ColumnSchema column,
        @Nullable SqlType peer,
        boolean negated) {

    public enum Source {
        /** A literal of the statement, or a placeholder. */
        SLOT,
        /**
         * {@code @@name} or {@code @@session.name}; the parameter has the name in lower case
         * without its scope.
         */
        SESSION_VARIABLE,
        GLOBAL_VARIABLE,
        /** {@code @name}; the parameter has the name in lower case. */
        USER_VARIABLE,
        /** The start of the statement in the session's time zone: a LocalDateTime. */
        NOW,
        /** The start of the statement in UTC: a LocalDateTime. */
        UTC_NOW,
        /**
         * The session's time zone: a name that DuckDB knows, or an offset such as {@code +02:00}.
         */
        TIME_ZONE,
        DATABASE,
        USER,
        CURRENT_USER,
        CONNECTION_ID,
        LAST_INSERT_ID,
        ROW_COUNT,
        FOUND_ROWS,
        VERSION,
        /**
         * The value of {@code slot}. If {@code slot} is -1, or the value is NULL or 0, the next
         * AUTO_INCREMENT value of the target table.
         */
        AUTO_INCREMENT
    }

    public static Parameter slot(int slot, Conversion conversion) {
        return new Parameter(Source.SLOT, slot, "", conversion, null, null, false);
    }

    public static Parameter of(Source source, String name) {
        return new Parameter(source, -1, name, Conversion.NONE, null, null, false);
    }

    public Parameter with(Conversion other) {
        return new Parameter(source, slot, name, other, column, peer, negated);
    }

    /** Returns this parameter, converted for a comparison with an exact number. */
    public Parameter beside(SqlType number, Conversion other) {
        return new Parameter(source, slot, name, other, column, number, negated);
    }

    public Parameter storedIn(ColumnSchema target) {
        return new Parameter(source, slot, name, Conversion.STORE, target, null, negated);
    }

    /** Returns the same value of the statement, without a generated value instead of NULL or 0. */
    public Parameter given() {
        return new Parameter(Source.SLOT, slot, name, conversion, column, peer, negated);
    }

    public Parameter negation() {
        return new Parameter(source, slot, name, conversion, column, peer, !negated);
    }
}
