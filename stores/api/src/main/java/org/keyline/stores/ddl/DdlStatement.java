package org.keyline.stores.ddl;

import java.util.List;
import java.util.Map;
import org.keyline.planner.TableName;

/** One statement that changes the catalog, as parsed. Immutable. */
public sealed interface DdlStatement {

    record CreateTable(TableDefinition definition, boolean ifNotExists) implements DdlStatement {}

    record CreateTableLike(TableName name, TableName source, boolean ifNotExists) implements DdlStatement {}

    /** The changes apply in order, all or none. */
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

    /** All renamings apply, or none. */
    record RenameTable(List<Renaming> renamings) implements DdlStatement {
        public RenameTable {
            renamings = List.copyOf(renamings);
        }
    }

    record Renaming(TableName from, TableName to) {}

    /** Options (character set, properties) have no effect. */
    record CreateDatabase(String name, boolean ifNotExists, Map<String, String> options) implements DdlStatement {
        public CreateDatabase {
            options = Map.copyOf(options);
        }
    }

    record DropDatabase(String name, boolean ifExists) implements DdlStatement {}
}
