package org.keyline.stores.ddl;

import java.util.List;
import java.util.Map;
import org.keyline.planner.TableName;

/** One statement that changes the catalog, as parsed. Immutable. */
public sealed interface DdlStatement {

    /** CREATE TABLE with a column list. */
    record CreateTable(TableDefinition definition, boolean ifNotExists) implements DdlStatement {}

    /** CREATE TABLE … LIKE source. */
    record CreateTableLike(TableName name, TableName source, boolean ifNotExists) implements DdlStatement {}

    /** ALTER TABLE. The changes apply in order, all or none. */
    record AlterTable(TableName name, List<TableChange> changes) implements DdlStatement {
        public AlterTable {
            changes = List.copyOf(changes);
        }
    }

    /** DROP TABLE [IF EXISTS] a, b. */
    record DropTable(List<TableName> names, boolean ifExists) implements DdlStatement {
        public DropTable {
            names = List.copyOf(names);
        }
    }

    /** TRUNCATE [TABLE] name. */
    record TruncateTable(TableName name) implements DdlStatement {}

    /** RENAME TABLE a TO b, c TO d. All renamings apply, or none. */
    record RenameTable(List<Renaming> renamings) implements DdlStatement {
        public RenameTable {
            renamings = List.copyOf(renamings);
        }
    }

    /** One step of RENAME TABLE. */
    record Renaming(TableName from, TableName to) {}

    /**
     * CREATE DATABASE or SCHEMA. Options (character set, properties) are stored without any effect.
     */
    record CreateDatabase(String name, boolean ifNotExists, Map<String, String> options) implements DdlStatement {
        public CreateDatabase {
            options = Map.copyOf(options);
        }
    }

    /** DROP DATABASE or SCHEMA. */
    record DropDatabase(String name, boolean ifExists) implements DdlStatement {}

    /**
     * CREATE VIEW and ALTER VIEW.
     *
     * @param columns names that the statement declares; empty if they are those of the query
     * @param query as written, from SELECT up to WITH CHECK OPTION
     * @param attributes further clauses of the definition
     */
    record CreateView(TableName name, Existing existing, List<String> columns, String query, ViewAttributes attributes)
            implements DdlStatement {
        public CreateView {
            columns = List.copyOf(columns);
        }

        /** Returns the statement with this definer. */
        public CreateView definedBy(String account) {
            ViewAttributes a = attributes;
            return new CreateView(
                    name,
                    existing,
                    columns,
                    query,
                    new ViewAttributes(a.algorithm(), account, a.security(), a.check()));
        }

        /** The treatment of an existing view with this name. */
        public enum Existing {
            FAIL,
            /** IF NOT EXISTS. */
            KEEP,
            /** OR REPLACE. */
            REPLACE,
            /** ALTER VIEW: the view must exist. */
            ALTER
        }
    }

    /**
     * Clauses of a view that do not affect its rows.
     *
     * @param algorithm UNDEFINED, MERGE or TEMPTABLE
     * @param definer {@code `user`@`host`}; empty if the statement names none
     * @param security DEFINER or INVOKER
     * @param check NONE, LOCAL or CASCADED
     */
    record ViewAttributes(String algorithm, String definer, String security, String check) {}

    /** DROP VIEW [IF EXISTS] a, b. */
    record DropView(List<TableName> names, boolean ifExists) implements DdlStatement {
        public DropView {
            names = List.copyOf(names);
        }
    }
}
