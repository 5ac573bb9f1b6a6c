package org.keyline.stores.duckdb.translate;

import org.keyline.planner.digest.SqlMode;

/**
 * What a translation depends on besides the statement and the tables.
 *
 * @param schema current database; empty if none is selected
 * @param mode how text is read
 * @param foundRows CLIENT_FOUND_ROWS: an UPDATE counts the rows it found, not those it changed
 * @param variables types of variables
 */
public record TranslationContext(String schema, SqlMode mode, boolean foundRows, Variables variables) {

    /** The variables of a session. */
    public interface Variables {
        /**
         * What a variable holds now.
         *
         * @param source {@link Parameter.Source#SESSION_VARIABLE}, GLOBAL_VARIABLE or USER_VARIABLE
         * @param name in lower case
         * @throws org.keyline.planner.StatementRefusedException 1193 for a system variable that
         *     does not exist
         */
        SqlType type(Parameter.Source source, String name);
    }
}
