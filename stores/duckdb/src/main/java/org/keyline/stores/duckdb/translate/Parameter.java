package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;

/**
 * One {@code ?} of a DuckDB statement: where its value comes from and what it must be turned into before it is bound.
 *
 * @param source where the value comes from
 * @param slot of the statement's literals and placeholders in text order; -1 where none is meant
 * @param name of the variable; empty for other sources
 * @param conversion what {@link Values#converted} makes of the value
 * @param column what it is stored in, for {@link Conversion#STORE}
 * @param peer the exact number that the value is compared with, for {@link Conversion#EQUAL} and its like
 * @param negated a minus sign stood before the slot
 */
public record Parameter(
        Source source,
        int slot,
        String name,
        Conversion conversion,
        @Nullable ColumnSchema column,
        @Nullable SqlType peer,
        boolean negated) {

    /** Where a value comes from. */
    public enum Source {
        /** A literal of the statement, or a placeholder. */
        SLOT,
        /** {@code @@name}, {@code @@session.name}: name in lower case without its scope. */
        SESSION_VARIABLE,
        /** {@code @@global.name}. */
        GLOBAL_VARIABLE,
        /** {@code @name}: name in lower case. */
        USER_VARIABLE,
        /** The moment the statement began, in the session's time zone: a LocalDateTime. */
        NOW,
        /** The moment the statement began, in UTC: a LocalDateTime. */
        UTC_NOW,
        /** The session's time zone: a name that DuckDB knows, or an offset such as {@code +02:00}. */
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
         * The next AUTO_INCREMENT value of the target table; where {@code slot} is not -1, the value of that slot instead,
         * unless it is NULL or 0.
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

    /** For a comparison with an exact number. */
    public Parameter beside(SqlType number, Conversion other) {
        return new Parameter(source, slot, name, other, column, number, negated);
    }

    public Parameter storedIn(ColumnSchema target) {
        return new Parameter(source, slot, name, Conversion.STORE, target, null, negated);
    }

    /** The same value of the statement where nothing is generated in its place. */
    public Parameter given() {
        return new Parameter(Source.SLOT, slot, name, conversion, column, peer, negated);
    }

    public Parameter negation() {
        return new Parameter(source, slot, name, conversion, column, peer, !negated);
    }
}
