package org.keyline.stores.duckdb.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;
import org.jspecify.annotations.Nullable;

/**
 * The open DuckDB database. The file is attached under a fixed name to an instance that is otherwise empty, because a
 * file that is opened directly lends its own name to the catalog, and {@code demo.users} would be ambiguous in
 * {@code demo.db}. Thread-safe.
 */
public final class Database implements AutoCloseable {
    /** Name of the catalog that holds all schemas. */
    public static final String CATALOG = "__keyline_db";

    /** Makes a new connection find the schemas. */
    static final String USE = "USE " + CATALOG + ".main";

    private final DuckDBConnection root;
    private final int cachedStatements;
    private final ResultMemory results;
    private volatile boolean stopped;

    private Database(DuckDBConnection root, EngineOptions options) {
        this.root = root;
        this.cachedStatements = options.cachedStatements();
        this.results = new ResultMemory(options.memoryBytes());
    }

    /**
     * Opens or creates.
     *
     * @throws DatabaseUnavailableException where the file is locked, damaged or out of reach; the message names it
     */
    public static Database open(EngineOptions options) {
        Path file = options.file();
        requireReachable(file);
        boolean fresh = file != null && !Files.exists(file);
        DuckDBConnection root = null;
        try {
            root = new DuckDBDriver()
                    .connect("jdbc:duckdb:", properties(options))
                    .unwrap(DuckDBConnection.class);
            try (Statement statement = root.createStatement()) {
                statement.execute("ATTACH '" + (file == null ? ":memory:" : quoted(file)) + "' AS " + CATALOG);
                statement.execute("SET GLOBAL temp_directory = '" + (file == null ? "" : quoted(spill(file))) + "'");
                for (String setting : SETTINGS) {
                    statement.execute(setting);
                }
                if (fresh) {
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
                }
            }
            return new Database(root, options);
        } catch (SQLException e) {
            closeQuietly(root);
            throw new DatabaseUnavailableException(explanation(file, e), e);
        } catch (IOException e) {
            closeQuietly(root);
            throw new DatabaseUnavailableException("cannot open the database " + file + ": " + e, e);
        }
    }

    /** The directory for what does not fit into memory, beside the database and for nobody else; what is in memory has none. */
    private static Path spill(Path file) throws IOException {
        Path directory = Path.of(file + ".tmp");
        if (!Files.isDirectory(directory)) {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        return directory;
    }

    /**
     * Why each is set: MySQL sorts NULL first; statements of clients must reach neither files nor the network; extensions
     * must not be fetched while a client waits.
     */
    private static final List<String> SETTINGS = List.of(
            "SET GLOBAL default_null_order = 'nulls_first_on_asc_last_on_desc'",
            "SET GLOBAL autoinstall_known_extensions = false",
            "SET GLOBAL autoload_known_extensions = false",
            "SET GLOBAL TimeZone = 'UTC'",
            "SET GLOBAL enable_external_access = false");

    /** Opens another connection; the caller closes it. */
    public EngineConnection connect() throws SQLException {
        EngineConnection connection = new EngineConnection(root.duplicate(), cachedStatements, results);
        try {
            connection.execute(USE);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** The engine answers nothing any more. */
    public void stopped() {
        stopped = true;
    }

    /** Whether the engine answers nothing any more. */
    public boolean isStopped() {
        return stopped;
    }

    /** Writes what is still in the log into the file, as far as no transaction forbids it, and lets the file go. */
    @Override
    public void close() {
        try (Statement statement = root.createStatement()) {
            statement.execute("CHECKPOINT " + CATALOG);
        } catch (SQLException ignored) {
            // The log is durable as it is; the next start replays it.
        }
        closeQuietly(root);
    }

    private static Properties properties(EngineOptions options) {
        Properties properties = new Properties();
        properties.setProperty("jdbc_stream_results", "true");
        properties.setProperty("memory_limit", options.memoryBytes() + "B");
        if (options.threads() > 0) {
            properties.setProperty("threads", Integer.toString(options.threads()));
        }
        return properties;
    }

    private static void requireReachable(@Nullable Path file) {
        if (file == null) {
            return;
        }
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            throw new DatabaseUnavailableException(
                    "cannot open the database " + file + ": the directory " + directory + " does not exist", null);
        }
        if (Files.isDirectory(file)) {
            throw new DatabaseUnavailableException("cannot open the database " + file + ": it is a directory", null);
        }
    }

    private static String explanation(@Nullable Path file, SQLException e) {
        String text = String.valueOf(e.getMessage());
        String lower = text.toLowerCase(Locale.ROOT);
        String where = "cannot open the database " + (file == null ? "in memory" : file.toString()) + ": ";
        if (lower.contains("could not set lock") || lower.contains("conflicting lock")) {
            return where + "another process holds it (" + firstLine(text) + ")";
        }
        if (lower.contains("not a valid duckdb")
                || lower.contains("corrupt")
                || lower.contains("checksum")
                || lower.contains("serialization")) {
            return where + "it is damaged or not a DuckDB database (" + firstLine(text) + ")";
        }
        return where + firstLine(text);
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    private static String quoted(Path file) {
        return file.toAbsolutePath().toString().replace("'", "''");
    }

    private static void closeQuietly(@Nullable DuckDBConnection connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException ignored) {
                // Nothing depends on it any more.
            }
        }
    }
}
