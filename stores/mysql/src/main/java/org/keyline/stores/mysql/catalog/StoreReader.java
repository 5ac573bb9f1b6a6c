package org.keyline.stores.mysql.catalog;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ProcedureText;

/** Reads the definitions of a store of one dialect. Confined to one thread. */
interface StoreReader {
    /** What a long reading makes room for, between one query and the next. */
    interface Interlude {
        Interlude NONE = () -> {};

        void play() throws ReadFailure;
    }

    /** Reads them all. */
    Reading read(CatalogRows rows, Interlude interlude) throws ReadFailure;

    /**
     * Reads those of some tables anew, or of more.
     *
     * @param names of tables that may be there or not
     * @param before what is known of the others
     */
    default Reading read(CatalogRows rows, Collection<TableName> names, Reading before) throws ReadFailure {
        return read(rows, Interlude.NONE);
    }

    /** Makes the next reading read all definitions: any of them may have changed unseen. */
    default void forget() {}

    /**
     * Reads anew what statements run beside their own text. A table that has lost its triggers may stay one whose writes reach others.
     *
     * @param before what is known of the tables
     */
    default Reading readCode(CatalogRows rows, Reading before) throws ReadFailure {
        return read(rows, Interlude.NONE);
    }

    /**
     * What differs after any statement that defines something was begun, whoever began it; null where the store tells nothing of the
     * kind.
     */
    default @Nullable DefinitionCount definitionCount(CatalogRows rows) throws ReadFailure {
        return null;
    }

    /** Whether anybody's statement may be under way at this moment; true where the store does not tell of everybody's. */
    default boolean mayBeUnderWay(CatalogRows rows) throws ReadFailure {
        return true;
    }

    /** The text of a stored procedure; null where it is not known for certain which one a call runs, and what that is. */
    default @Nullable ProcedureText procedure(CatalogRows rows, String schema, String name) throws ReadFailure {
        return null;
    }

    /**
     * What reads the definitions of a dialect.
     *
     * @param user of the account that reads
     */
    static StoreReader of(Dialect dialect, String user) {
        return switch (dialect) {
            case MYSQL, MARIADB, OTHER -> new SchemaReader(dialect);
            case DORIS, STARROCKS -> new DdlCatalogReader(dialect, "'" + user.replace("'", "''") + "'@'%'");
        };
    }
}
