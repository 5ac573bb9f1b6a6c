package org.keyline.stores.mysql.catalog;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ProcedureText;

/** Reads the definitions of one kind of store. Confined to one thread. */
interface StoreReader {
    /** Runs between the queries of a long reading. */
    interface Interlude {
        Interlude NONE = () -> {};

        void play() throws ReadFailure;
    }

    Reading read(CatalogRows rows, Interlude interlude) throws ReadFailure;

    /**
     * Reads the definitions of some tables again, and possibly of other tables.
     *
     * @param names the names of the tables, existing or not
     * @param before the last reading, for the definitions of all other tables
     */
    default Reading read(CatalogRows rows, Collection<TableName> names, Reading before) throws ReadFailure {
        return read(rows, Interlude.NONE);
    }

    /** Called when definitions may have changed unnoticed. The next reading must read them all. */
    default void forget() {}

    /**
     * Reads stored code. A table that has lost its triggers can still count as a table whose writes
     * cascade.
     *
     * @param before the last reading, for the tables
     */
    default Reading readCode(CatalogRows rows, Reading before) throws ReadFailure {
        return read(rows, Interlude.NONE);
    }

    /**
     * Returns a count that changes with every definition statement of any session; null if the
     * store has no such count.
     */
    default @Nullable DefinitionCount definitionCount(CatalogRows rows) throws ReadFailure {
        return null;
    }

    /** Returns whether a definition statement can be running. True if sessions can be hidden. */
    default boolean mayBeUnderWay(CatalogRows rows) throws ReadFailure {
        return true;
    }

    /** Returns the text of a procedure; null if it is uncertain which procedure a call runs. */
    default @Nullable ProcedureText procedure(CatalogRows rows, String schema, String name) throws ReadFailure {
        return null;
    }

    /** Returns the reader for a kind of store. {@code user} belongs to the gateway's account. */
    static StoreReader of(Dialect dialect, String user) {
        return switch (dialect) {
            case MYSQL, MARIADB, OTHER -> new SchemaReader(dialect);
            case DORIS, STARROCKS -> new DdlCatalogReader(dialect, user);
        };
    }
}
