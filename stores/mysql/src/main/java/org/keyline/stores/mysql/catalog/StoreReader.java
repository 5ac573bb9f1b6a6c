package org.keyline.stores.mysql.catalog;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ProcedureText;

/** A reader of the definitions of stores of one dialect. Confined to one thread. */
interface StoreReader {
    /** Runs between the queries of a long reading. */
    interface Interlude {
        Interlude NONE = () -> {};

        void play() throws ReadFailure;
    }

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

    /** Called when any definition may have changed unnoticed. The next reading reads all. */
    default void forget() {}

    /**
     * Reads stored code. A table that has lost its triggers may still count as one whose writes
     * cascade.
     *
     * @param before the known tables
     */
    default Reading readCode(CatalogRows rows, Reading before) throws ReadFailure {
        return read(rows, Interlude.NONE);
    }

    /**
     * Returns a count that changes with every definition statement of any session; null if
     * unsupported.
     */
    default @Nullable DefinitionCount definitionCount(CatalogRows rows) throws ReadFailure {
        return null;
    }

    /**
     * Returns whether a definition may be in progress. True also if the store does not show all
     * sessions.
     */
    default boolean mayBeUnderWay(CatalogRows rows) throws ReadFailure {
        return true;
    }

    /** Returns the text of a procedure; null if it is uncertain which procedure a call runs. */
    default @Nullable ProcedureText procedure(CatalogRows rows, String schema, String name) throws ReadFailure {
        return null;
    }

    /** Takes the user of the reader's account. */
    static StoreReader of(Dialect dialect, String user) {
        return switch (dialect) {
            case MYSQL, MARIADB, OTHER -> new SchemaReader(dialect);
            case DORIS, STARROCKS -> new DdlCatalogReader(dialect, "'" + user.replace("'", "''") + "'@'%'");
        };
    }
}
