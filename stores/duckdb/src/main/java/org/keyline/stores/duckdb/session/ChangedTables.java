package org.keyline.stores.duckdb.session;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.DdlStatement;
import org.keyline.stores.ddl.DdlStatement.AlterTable;
import org.keyline.stores.ddl.DdlStatement.CreateTable;
import org.keyline.stores.ddl.DdlStatement.CreateTableLike;
import org.keyline.stores.ddl.DdlStatement.DropDatabase;
import org.keyline.stores.ddl.DdlStatement.DropTable;
import org.keyline.stores.ddl.DdlStatement.RenameTable;
import org.keyline.stores.ddl.DdlStatement.TruncateTable;
import org.keyline.stores.ddl.TableChange;
import org.keyline.stores.duckdb.meta.DuckDbCatalog;
import org.keyline.stores.duckdb.meta.StoredTable;

/** The tables whose definition or rows a data definition statement changes, as the catalog spells them. */
final class ChangedTables {
    private ChangedTables() {}

    static Set<TableName> of(DdlStatement statement, DuckDbCatalog catalog) {
        Set<TableName> tables = new LinkedHashSet<>();
        for (TableName name : named(statement, catalog)) {
            StoredTable stored = catalog.stored(name);
            tables.add(stored == null ? name : stored.definition().name());
        }
        return tables;
    }

    private static Set<TableName> named(DdlStatement statement, DuckDbCatalog catalog) {
        Set<TableName> names = new LinkedHashSet<>();
        if (statement instanceof CreateTable create) {
            names.add(create.definition().name());
        } else if (statement instanceof CreateTableLike like) {
            names.add(like.name());
        } else if (statement instanceof AlterTable alter) {
            names.add(alter.name());
            for (TableChange change : alter.changes()) {
                if (change instanceof TableChange.RenameTo rename) {
                    names.add(rename.to());
                }
            }
        } else if (statement instanceof DropTable drop) {
            names.addAll(drop.names());
        } else if (statement instanceof TruncateTable truncate) {
            names.add(truncate.name());
        } else if (statement instanceof RenameTable rename) {
            rename.renamings().forEach(step -> names.addAll(List.of(step.from(), step.to())));
        } else if (statement instanceof DropDatabase drop) {
            catalog.tables(drop.name())
                    .forEach(table -> names.add(table.definition().name()));
        }
        return names;
    }
}
