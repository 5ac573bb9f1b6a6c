package org.keyline.stores.mysql.catalog;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ProcedureText;

/** A reader of the definitions of stores of one dialect. Confined to one thread. */
interface StoreReader {
    /** Work that a long reading allows between its queries. */
    interface Interlude {
        Interlude NONE = () -> {};

        void play() throws ReadFailure;
    }

    /** Reads all definitions. */
    Reading read(CatalogRows rows, Interlude interlude) throws ReadFailure;

    /**
     * Reads the definitions of some tables again, and possibly others.
     *
     * @param names of tables, existing or not
     * @param before the known definitions of the others
     */
    default Reading read(CatalogRows rows, Collection<TableName> names, Reading before) throws ReadFailure {
        return read(rows, Interlude.NONE);
    }

    /**
     * Makes the next reading read all definitions, because any of them may have changed unnoticed.
     */
    default void forget() {}

    /**
     * Reads stored code again. A table that has lost its triggers may still count as one whose
     * writes cascade.
     *
     * @param before the known tables
     */
    default Reading readCode(CatalogRows rows, Reading before) throws ReadFailure {
        return read(rows, Interlude.NONE);
    }

    /**
     * Returns a value that changes with every definition statement of any session; null if the
     * store has none.
     */
    default @Nullable DefinitionCount definitionCount(CatalogRows rows) throws ReadFailure {
        return null;
    }

    /**
     * Returns whether a statement of any session may be running; true if the store does not show
     * all sessions.
     */
    default boolean mayBeUnderWay(CatalogRows rows) throws ReadFailure {
        return true;
    }

    /**
     * Returns the text of a stored procedure; null if it is uncertain which procedure a call runs.
     */
    default @Nullable ProcedureText procedure(CatalogRows rows, String schema, String name) throws ReadFailure {
        return null;
    }

    /**
     * Returns the reader for a dialect.
     *
     * @param user of the reader's account
     */
    static StoreReader of(Dialect dialect, String user) {
        return switch (dialect) {
            case MYSQL, MARIADB, OTHER -> new SchemaReader(dialect);
            case DORIS, STARROCKS -> new DdlCatalogReader(dialect, "'" + user.replace("'", "''") + "'@'%'");
        };
    }
}
