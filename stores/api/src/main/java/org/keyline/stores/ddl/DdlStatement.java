package org.keyline.stores.ddl;

import java.util.List;
import java.util.Map;
import org.keyline.planner.TableName;

/** A parsed statement that changes the catalog. Immutable. */
public sealed interface DdlStatement {

    record CreateTable(TableDefinition definition, boolean ifNotExists) implements DdlStatement {}

    record CreateTableLike(TableName name, TableName source, boolean ifNotExists) implements DdlStatement {}

    /** ALTER TABLE. All changes apply, in their order, or none. */
    record AlterTable(TableName name, List<TableChange> changes) implements DdlStatement {
        public AlterTable {
            changes = List.copyOf(changes);
        }
    }

    record DropTable(List<TableName> names, boolean ifExists) implements DdlStatement {
        public DropTable {
            names = List.copyOf(names);
        }
    }

    record TruncateTable(TableName name) implements DdlStatement {}

    /** RENAME TABLE. All renamings apply, or none. */
    record RenameTable(List<Renaming> renamings) implements DdlStatement {
        public RenameTable {
            renamings = List.copyOf(renamings);
        }
    }

    record Renaming(TableName from, TableName to) {}

    /** CREATE DATABASE. Its options, such as a character set, have no effect. */
    record CreateDatabase(String name, boolean ifNotExists, Map<String, String> options) implements DdlStatement {
        public CreateDatabase {
            options = Map.copyOf(options);
        }
    }

    record DropDatabase(String name, boolean ifExists) implements DdlStatement {}
}
