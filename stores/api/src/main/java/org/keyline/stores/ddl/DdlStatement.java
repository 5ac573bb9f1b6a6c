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
}
