package org.keyline.stores.duckdb.meta;

import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlReader;
import org.keyline.stores.ddl.DdlStatement;
import org.keyline.stores.ddl.ShowCreateTable;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.DatabaseUnavailableException;
import org.keyline.stores.duckdb.engine.EngineConnection;

/**
 * Reads and writes the table definitions, which the database file stores as DDL text. The text
 * contains what DuckDB's own catalog cannot store: a table's model, buckets, properties and
 * declared types. Definitions change in the same transaction as the rows.
 */
final class Definitions {
    /** The schema with the store's own tables. */
    static final String SCHEMA = "__keyline";

    private static final int FORMAT = 1;

    private Definitions() {}

    /** Creates the store's own tables if the file is new, and reads all definitions. */
    static CatalogSnapshot load(EngineConnection connection) throws SQLException {
        connection.begin();
        connection.execute("CREATE SCHEMA IF NOT EXISTS " + SCHEMA);
        connection.execute("CREATE TABLE IF NOT EXISTS __keyline.store (format INTEGER, next_id BIGINT)");
        connection.execute("CREATE TABLE IF NOT EXISTS __keyline.databases (name VARCHAR)");
        connection.execute("CREATE TABLE IF NOT EXISTS __keyline.tables"
                + " (schema_name VARCHAR, table_name VARCHAR, id BIGINT, created TIMESTAMP, ddl VARCHAR)");
        connection.execute("CREATE TABLE IF NOT EXISTS __keyline.ids (table_id BIGINT, bound BIGINT)");
        connection.execute("INSERT INTO __keyline.store SELECT " + FORMAT
                + ", 1 WHERE NOT EXISTS (SELECT * FROM __keyline.store)");
        connection.commit();
        long format = connection.number("SELECT format FROM __keyline.store", List.of());
        if (format != FORMAT) {
            throw new DatabaseUnavailableException(
                    "the database was written by another version of Keyline (format " + format + ", expected: " + FORMAT
                            + ")",
                    null);
        }
        return read(connection);
    }

    private static CatalogSnapshot read(EngineConnection connection) throws SQLException {
        Map<String, String> databases = new TreeMap<>();
        CatalogSnapshot snapshot = new CatalogSnapshot(nextId(connection), databases, Map.of());
        for (List<@Nullable String> row : connection.texts("SELECT name FROM __keyline.databases", List.of())) {
            snapshot = snapshot.withDatabase(String.valueOf(row.get(0)));
        }
        DdlReader reader = new DdlReader(SqlMode.DEFAULT);
        for (List<@Nullable String> row : connection.texts(
                "SELECT schema_name, id, strftime(created, '%Y-%m-%dT%H:%M:%S'), ddl FROM __keyline.tables",
                List.of())) {
            String schema = String.valueOf(row.get(0));
            TableDefinition definition = definition(reader, schema, String.valueOf(row.get(3)));
            snapshot = snapshot.with(StoredTable.of(
                    definition,
                    Long.parseLong(String.valueOf(row.get(1))),
                    LocalDateTime.parse(String.valueOf(row.get(2)))));
        }
        return snapshot;
    }

    private static TableDefinition definition(DdlReader reader, String schema, String ddl) {
        try {
            DdlStatement statement = reader.read(ddl, schema);
            if (statement instanceof DdlStatement.CreateTable create) {
                return create.definition();
            }
            throw new DatabaseUnavailableException(
                    "the database has a table definition that is no CREATE TABLE: " + ddl, null);
        } catch (StatementRefusedException e) {
            throw new DatabaseUnavailableException(
                    "the database has a table definition that cannot be read: " + e.getMessage() + ": " + ddl, e);
        }
    }

    private static long nextId(EngineConnection connection) throws SQLException {
        return connection.number("SELECT next_id FROM __keyline.store", List.of());
    }

    /** Returns an id that no definition has had. Call in the transaction that uses the id. */
    static long takeId(EngineConnection connection) throws SQLException {
        long id = nextId(connection);
        connection.execute("UPDATE __keyline.store SET next_id = " + (id + 1));
        return id;
    }

    static void save(EngineConnection connection, StoredTable table) throws SQLException {
        TableName name = table.definition().name();
        connection.update(
                "INSERT INTO __keyline.tables VALUES (?, ?, ?, ?, ?)",
                List.of(
                        name.schema(),
                        name.table(),
                        table.id(),
                        table.created(),
                        withoutSemicolon(ShowCreateTable.of(table.definition()))));
    }

    /** Moves the state of AUTO_INCREMENT to the id of the table's new definition. */
    static void renumber(EngineConnection connection, long before, long after) throws SQLException {
        connection.update("UPDATE __keyline.ids SET table_id = ? WHERE table_id = ?", List.of(after, before));
    }

    private static String withoutSemicolon(String ddl) {
        return ddl.endsWith(";") ? ddl.substring(0, ddl.length() - 1) : ddl;
    }

    static void remove(EngineConnection connection, TableName name) throws SQLException {
        connection.update(
                "DELETE FROM __keyline.tables WHERE schema_name = ? AND table_name = ?",
                List.of(name.schema(), name.table()));
    }

    static void saveDatabase(EngineConnection connection, String name) throws SQLException {
        connection.update("INSERT INTO __keyline.databases VALUES (?)", List.of(name));
    }

    static void removeDatabase(EngineConnection connection, String name) throws SQLException {
        connection.update("DELETE FROM __keyline.databases WHERE name = ?", List.of(name));
        connection.update("DELETE FROM __keyline.tables WHERE schema_name = ?", List.of(name));
    }
}
