package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;

/**
 * A {@code ?} of a DuckDB statement, with the source and the conversion of its value.
 *
 * @param source the source of the value
 * @param slot the index of the value in {@link StatementText#slots}; -1 if the value is not in the
 *     statement
 * @param name the name of the variable; empty if the source is not a variable
 * @param conversion the conversion by {@link Values#converted}
 * @param column the column that stores the value, for {@link Conversion#STORE}
 * @param peer the type of the exact number with which the value is compared, for {@link
 *     Conversion#EQUAL}, UNEQUAL, FLOOR and CEILING
 * @param negated whether a minus sign precedes the slot
 * @param row the row of VALUES that contains the slot, from 1; 1 for other slots
 */
public record Parameter(
        Source source,
        int slot,
        String name,
        Conversion conversion,
        @Nullable ColumnSchema column,
        @Nullable SqlType peer,
        boolean negated,
        int row) {

    public enum Source {
        /** A literal of the statement, or a placeholder. */
        SLOT,
        /**
         * {@code @@name} or {@code @@session.name}. The parameter's name is in lower case, without
         * scope.
         */
        SESSION_VARIABLE,
        GLOBAL_VARIABLE,
        /** {@code @name}. The parameter's name is in lower case. */
        USER_VARIABLE,
        /** The start of the statement in UTC: a LocalDateTime. */
        NOW,
        DATABASE,
        USER,
        CURRENT_USER,
        CONNECTION_ID,
        LAST_INSERT_ID,
        ROW_COUNT,
        FOUND_ROWS,
        VERSION,
        /**
         * The value of {@code slot}. If {@code slot} is -1, or its value is NULL or 0, this is the
         * next AUTO_INCREMENT value of the target table.
         */
        AUTO_INCREMENT,
        /**
         * The result of GET_LOCK with the name in {@code slot}, and the seconds in the slot whose
         * number is the parameter's name.
         */
        GET_LOCK,
        /** The result of RELEASE_LOCK with the name in {@code slot}. */
        RELEASE_LOCK
    }

    public static Parameter slot(int slot, Conversion conversion) {
        return new Parameter(Source.SLOT, slot, "", conversion, null, null, false, 1);
    }

    public static Parameter of(Source source, String name) {
        return new Parameter(source, -1, name, Conversion.NONE, null, null, false, 1);
    }

    public Parameter with(Conversion other) {
        return new Parameter(source, slot, name, other, column, peer, negated, row);
    }

    /** Returns this parameter, converted for a comparison with an exact number of this type. */
    public Parameter beside(SqlType number, Conversion other) {
        return new Parameter(source, slot, name, other, column, number, negated, row);
    }

    public Parameter storedIn(ColumnSchema target) {
        return new Parameter(source, slot, name, Conversion.STORE, target, null, negated, row);
    }

    /** Returns the parameter of the slot's value, without replacing it by AUTO_INCREMENT. */
    public Parameter given() {
        return new Parameter(Source.SLOT, slot, name, conversion, column, peer, negated, row);
    }

    /** Returns the parameter that generates an AUTO_INCREMENT value in place of NULL or 0. */
    public Parameter generatedIn(ColumnSchema target) {
        return new Parameter(Source.AUTO_INCREMENT, slot, name, Conversion.STORE, target, null, negated, row);
    }

    public Parameter inRow(int number) {
        return new Parameter(source, slot, name, conversion, column, peer, negated, number);
    }

    public Parameter negation() {
        return new Parameter(source, slot, name, conversion, column, peer, !negated, row);
    }
}
