package org.keyline.stores.duckdb.translate;

import org.keyline.planner.digest.SqlMode;

/**
 * The inputs of a translation besides the statement and the tables.
 *
 * @param schema the current database; empty if none is selected
 * @param mode the sql_mode by which the text is read
 * @param foundRows whether the client set CLIENT_FOUND_ROWS: an UPDATE then counts the rows that it
 *     found, not only those that it changed
 * @param variables the types of variables
 */
public record TranslationContext(String schema, SqlMode mode, boolean foundRows, Variables variables) {

    /** The variables of a session. */
    public interface Variables {
        /**
         * Returns the type of a variable's current value.
         *
         * @param source {@link Parameter.Source#SESSION_VARIABLE}, GLOBAL_VARIABLE or USER_VARIABLE
         * @param name the name in lower case
         * @throws org.keyline.planner.StatementRefusedException 1193 for a system variable that
         *     does not exist
         */
        SqlType type(Parameter.Source source, String name);
    }
}
