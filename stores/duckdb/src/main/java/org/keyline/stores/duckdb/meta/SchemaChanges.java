package org.keyline.stores.duckdb.meta;

import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.DdlStatement;
import org.keyline.stores.ddl.DdlStatement.AlterTable;
import org.keyline.stores.ddl.DdlStatement.CreateDatabase;
import org.keyline.stores.ddl.DdlStatement.CreateTable;
import org.keyline.stores.ddl.DdlStatement.CreateTableLike;
import org.keyline.stores.ddl.DdlStatement.DropDatabase;
import org.keyline.stores.ddl.DdlStatement.DropTable;
import org.keyline.stores.ddl.DdlStatement.RenameTable;
import org.keyline.stores.ddl.DdlStatement.TruncateTable;
import org.keyline.stores.ddl.TableChange;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.rewrite.Macros;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.DuckTypes;

/**
 * Runs data definition statements. Each statement changes rows, definitions and information_schema
 * in one transaction; the catalog shows the change after the commit. Statements run one at a time,
 * and never at the same time as an autocommit write. Thread-safe.
 */
public final class SchemaChanges {
    /** Names that databases cannot have, because they have another meaning in DuckDB. */
    private static final Set<String> RESERVED = Set.of("main", "temp", "system", "memory", "pg_catalog");

    private static final String TEMPORARY_NAME = "__keyline_new";

    private final DuckDbCatalog catalog;
    private final Clock clock;

    public SchemaChanges(DuckDbCatalog catalog, Clock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /** Reads the definitions in the file, creates the macros and builds information_schema. */
    public void load(EngineConnection connection) throws SQLException {
        CatalogSnapshot snapshot = Definitions.load(connection);
        connection.begin();
        for (String macro : Macros.statements()) {
            connection.execute(macro);
        }
        InformationSchema.build(connection, snapshot);
        connection.commit();
        catalog.publish(snapshot);
    }

    /**
     * Runs one statement. The caller holds the lock of writes.
     *
     * @param connection a connection without an open transaction
     * @return the notes for the client, such as the error that IF EXISTS turns into a note
     */
    public List<StatementRefusedException> run(DdlStatement statement, EngineConnection connection)
            throws SQLException {
        try {
            connection.begin();
            Change change = new Change(connection, catalog.snapshot());
            change.run(statement);
            InformationSchema.fill(connection, change.snapshot);
            connection.commit();
            catalog.publish(change.snapshot);
            return change.notes;
        } finally {
            connection.rollback();
        }
    }

    /** A running statement, with the snapshot that becomes the catalog after the commit. */
    private final class Change {
        private final EngineConnection connection;
        private final List<StatementRefusedException> notes = new ArrayList<>();
        private CatalogSnapshot snapshot;

        Change(EngineConnection connection, CatalogSnapshot snapshot) {
            this.connection = connection;
            this.snapshot = snapshot;
        }

        void run(DdlStatement statement) throws SQLException {
            if (statement instanceof CreateTable create) {
                create(create.definition(), create.ifNotExists());
            } else if (statement instanceof CreateTableLike like) {
                create(existing(like.source()).definition().renamed(like.name()), like.ifNotExists());
            } else if (statement instanceof AlterTable alter) {
                alter(alter.name(), alter.changes());
            } else if (statement instanceof DropTable drop) {
                drop(drop);
            } else if (statement instanceof TruncateTable truncate) {
                truncate(truncate.name());
            } else if (statement instanceof RenameTable rename) {
                for (DdlStatement.Renaming step : rename.renamings()) {
                    alter(step.from(), List.of(new TableChange.RenameTo(step.to())));
                }
            } else if (statement instanceof CreateDatabase create) {
                createDatabase(create);
            } else if (statement instanceof DropDatabase drop) {
                dropDatabase(drop);
            } else {
                throw StatementRefusedException.unsupported("this statement");
            }
        }

        private StoredTable existing(TableName name) {
            requireChangeable(name.schema());
            StoredTable table = snapshot.table(name);
            if (table == null) {
                throw Errors.error(1146, "42S02", "Table '" + name + "' doesn't exist");
            }
            return table;
        }

        private LocalDateTime now() {
            return LocalDateTime.now(clock).withNano(0);
        }

        /**
         * Returns the table name with its database spelled as declared. Throws error 1049 if the
         * database doesn't exist.
         */
        private TableName inDatabase(TableName name) {
            requireChangeable(name.schema());
            String database = snapshot.database(name.schema());
            if (database == null) {
                throw Errors.error(1049, "42000", "Unknown database '" + name.schema() + "'");
            }
            return new TableName(database, name.table());
        }

        private void requireChangeable(String schema) {
            if (SystemViews.isSystem(schema) || isOwn(schema)) {
                throw Errors.error(1044, "42000", "Access denied to database '" + schema + "'");
            }
        }

        private void create(TableDefinition declared, boolean ifNotExists) throws SQLException {
            TableName name = inDatabase(declared.name());
            if (snapshot.relation(name) != null) {
                StatementRefusedException exists =
                        Errors.error(1050, "42S01", "Table '" + name.table() + "' already exists");
                if (!ifNotExists) {
                    throw exists;
                }
                notes.add(exists);
                return;
            }
            TableDefinition table = declared.renamed(name);
            connection.execute(DuckDdl.createTable(table));
            add(table, now());
        }

        private StoredTable add(TableDefinition table, LocalDateTime created) throws SQLException {
            StoredTable stored = StoredTable.of(table, Definitions.takeId(connection), created);
            Definitions.save(connection, stored);
            snapshot = snapshot.with(stored);
            return stored;
        }

        private void forget(TableName name) throws SQLException {
            Definitions.remove(connection, name);
            snapshot = snapshot.without(name);
        }

        private void alter(TableName name, List<TableChange> changes) throws SQLException {
            StoredTable stored = existing(name);
            if (changes.isEmpty()) {
                notes.add(Errors.error(
                        1031, "HY000", "Table storage engine for '" + name.table() + "' doesn't have this option"));
                return;
            }
            TableDefinition before = stored.definition();
            TableChanges plan = new TableChanges(before);
            changes.forEach(plan::apply);
            TableDefinition declared = plan.after();
            TableDefinition after = declared.renamed(inDatabase(declared.name()));
            StoredTable occupant = snapshot.table(after.name());
            if (occupant != null && occupant.id() != stored.id()) {
                throw Errors.error(1050, "42S01", "Table '" + after.name().table() + "' already exists");
            }
            move(plan, before, after);
            forget(before.name());
            StoredTable added = add(after, stored.created());
            boolean setsNumber = changes.stream()
                    .anyMatch(change -> change instanceof TableChange.SetProperties set
                            && set.properties().containsKey("AUTO_INCREMENT"));
            if (!setsNumber) {
                Definitions.renumber(connection, stored.id(), added.id());
            }
        }

        private void move(TableChanges plan, TableDefinition before, TableDefinition after) throws SQLException {
            boolean otherDatabase = !before.name().schema().equals(after.name().schema());
            boolean otherName = !before.name().table().equals(after.name().table());
            if (!plan.rowsChange() && !otherDatabase) {
                if (otherName) {
                    connection.execute("ALTER TABLE " + DuckDdl.name(before) + " RENAME TO "
                            + DuckDdl.quoted(after.name().table()));
                }
                return;
            }
            copy(plan, before, after);
        }

        /** Copies the rows into a new table, drops the old table, and renames the new one. */
        private void copy(TableChanges plan, TableDefinition before, TableDefinition after) throws SQLException {
            TableName free = new TableName(after.name().schema(), TEMPORARY_NAME);
            while (snapshot.relation(free) != null) {
                free = new TableName(free.schema(), free.table() + "_");
            }
            TableDefinition made = after.renamed(free);
            connection.execute(DuckDdl.createTable(made));
            List<String> targets = new ArrayList<>();
            List<String> sources = new ArrayList<>();
            for (TableChanges.Slot slot : plan.slots()) {
                targets.add(DuckDdl.quoted(slot.column().name()));
                String from = slot.from();
                sources.add(
                        from == null
                                ? DuckDdl.fill(slot.column().schema())
                                : "CAST(" + DuckDdl.quoted(from) + " AS "
                                        + DuckTypes.of(slot.column().schema().type()) + ")");
            }
            String copy = DuckDdl.name(made);
            connection.execute("INSERT INTO " + copy + " (" + String.join(", ", targets) + ") SELECT "
                    + String.join(", ", sources) + " FROM " + DuckDdl.name(before));
            connection.execute("DROP TABLE " + DuckDdl.name(before));
            connection.execute("ALTER TABLE " + copy + " RENAME TO "
                    + DuckDdl.quoted(after.name().table()));
        }

        private void drop(DropTable drop) throws SQLException {
            List<String> unknown = new ArrayList<>();
            for (TableName name : drop.names()) {
                requireChangeable(name.schema());
                if (snapshot.table(name) == null) {
                    unknown.add(name.toString());
                }
            }
            if (!unknown.isEmpty()) {
                StatementRefusedException error =
                        Errors.error(1051, "42S02", "Unknown table '" + String.join(",", unknown) + "'");
                if (!drop.ifExists()) {
                    throw error;
                }
                notes.add(error);
            }
            for (TableName name : drop.names()) {
                StoredTable table = snapshot.table(name);
                if (table != null) {
                    connection.execute("DROP TABLE " + DuckDdl.name(table.definition()));
                    forget(table.definition().name());
                }
            }
        }

        private void truncate(TableName name) throws SQLException {
            StoredTable table = existing(name);
            connection.execute("TRUNCATE " + DuckDdl.name(table.definition()));
            forget(table.definition().name());
            add(table.definition(), table.created());
        }

        private void createDatabase(CreateDatabase create) throws SQLException {
            String name = create.name();
            if (catalog.database(name) != null) {
                StatementRefusedException exists =
                        Errors.error(1007, "HY000", "Can't create database '" + name + "'; database exists");
                if (!create.ifNotExists()) {
                    throw exists;
                }
                notes.add(exists);
                return;
            }
            if (RESERVED.contains(name.toLowerCase(Locale.ROOT)) || isOwn(name)) {
                throw Errors.error(1102, "42000", "Incorrect database name '" + name + "': it is reserved");
            }
            connection.execute("CREATE SCHEMA " + DuckDdl.quoted(name));
            Definitions.saveDatabase(connection, name);
            snapshot = snapshot.withDatabase(name);
        }

        private void dropDatabase(DropDatabase drop) throws SQLException {
            requireChangeable(drop.name());
            String name = snapshot.database(drop.name());
            if (name == null) {
                StatementRefusedException error = Errors.error(
                        1008, "HY000", "Can't drop database '" + drop.name() + "'; database doesn't exist");
                if (!drop.ifExists()) {
                    throw error;
                }
                notes.add(error);
                return;
            }
            connection.execute("DROP SCHEMA " + DuckDdl.quoted(name) + " CASCADE");
            Definitions.removeDatabase(connection, name);
            snapshot = snapshot.withoutDatabase(name);
        }
    }

    private static boolean isOwn(String schema) {
        return schema.toLowerCase(Locale.ROOT).startsWith("__keyline");
    }
}
