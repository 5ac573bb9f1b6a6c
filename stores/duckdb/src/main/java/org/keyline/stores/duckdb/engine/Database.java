package org.keyline.stores.duckdb.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;
import org.jspecify.annotations.Nullable;

/**
 * The open DuckDB database. The file is attached under a fixed name to an empty instance. If it
 * were opened directly, the catalog would have the file's name, and {@code demo.users} would be
 * ambiguous in {@code demo.db}. Thread-safe.
 */
public final class Database implements AutoCloseable {
    /** The name of the catalog with all schemas. */
    public static final String CATALOG = "__keyline_db";

    /** Makes {@link #CATALOG} the catalog in which a new connection looks up schemas. */
    static final String USE = "USE " + CATALOG + ".main";

    private static final int CACHED_STATEMENTS = 256;

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The number of failed attempts to open the file again before all sessions are closed. */
    private static final int PATIENCE = 3;

    private final DuckDBConnection root;
    private final BuiltTexts.Memory results;
    private final Map<Long, BuiltTexts> texts;
    private final AtomicLong connections = new AtomicLong();
    private final @Nullable Path file;
    private volatile boolean stopped;
    /** The time of the last attempt to open the file again. Guarded by the lock of writes. */
    private long triedNanos = System.nanoTime();

    private int conflicts;

    private Database(DuckDBConnection root, EngineOptions options, Map<Long, BuiltTexts> texts) {
        this.root = root;
        this.texts = texts;
        this.results = new BuiltTexts.Memory(options.textBytes());
        this.file = options.file();
    }

    /**
     * Opens or creates the database.
     *
     * @throws DatabaseUnavailableException if the file is locked, damaged or unreachable; the
     *     message names it
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
            Map<Long, BuiltTexts> texts = new ConcurrentHashMap<>();
            BuiltTexts.register(root, texts);
            try (Statement statement = root.createStatement()) {
                statement.execute(attach(file));
                if (file != null) {
                    // Lets openAnew attach the file after external access is disabled.
                    String path = quoted(file);
                    statement.execute("SET GLOBAL allowed_paths = ['" + path + "', '" + path + ".wal']");
                }
                statement.execute("SET GLOBAL temp_directory = '" + (file == null ? "" : quoted(spill(file))) + "'");
                for (String setting : SETTINGS) {
                    statement.execute(setting);
                }
                if (fresh) {
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
                }
            }
            return new Database(root, options, texts);
        } catch (SQLException e) {
            closeQuietly(root);
            throw new DatabaseUnavailableException(explanation(file, e), e);
        } catch (IOException e) {
            closeQuietly(root);
            throw new DatabaseUnavailableException("cannot open the database " + file + ": " + e, e);
        }
    }

    /** Returns the directory for spilled data, beside the database and for its owner only. */
    private static Path spill(Path file) throws IOException {
        Path directory = Path.of(file + ".tmp");
        if (!Files.isDirectory(directory)) {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        return directory;
    }

    /**
     * NULL sorts first, as in MySQL. The row group pruner is off, because in DuckDB 2.0 it counts
     * deleted rows, so that ORDER BY with LIMIT can omit rows. Clients' statements cannot access
     * files or the network, and no client waits for the download of an extension.
     */
    private static final List<String> SETTINGS = List.of(
            "SET GLOBAL default_null_order = 'nulls_first_on_asc_last_on_desc'",
            "SET GLOBAL disabled_optimizers = 'row_group_pruner'",
            "SET GLOBAL order_by_non_integer_literal = true",
            "SET GLOBAL autoinstall_known_extensions = false",
            "SET GLOBAL autoload_known_extensions = false",
            "SET GLOBAL TimeZone = 'UTC'",
            "SET GLOBAL enable_external_access = false");

    public EngineConnection connect() throws SQLException {
        BuiltTexts built = new BuiltTexts(results, Runtime.getRuntime().availableProcessors());
        long number = connections.incrementAndGet();
        texts.put(number, built);
        EngineConnection connection =
                new EngineConnection(root.duplicate(), CACHED_STATEMENTS, results, built, () -> texts.remove(number));
        try {
            connection.execute(USE);
            connection.execute("SET VARIABLE keyline_connection = " + number + "::BIGINT");
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private static String attach(@Nullable Path file) {
        return "ATTACH '" + (file == null ? ":memory:" : quoted(file)) + "' AS " + CATALOG;
    }

    /**
     * Opens the file again after the engine detached it because of a failed write. The engine
     * replays its log, as at a start. Makes at most one attempt a second, and only if the lock is
     * free. After a failed attempt, the caller must call again.
     *
     * @param writes the lock that all writes hold
     * @param endSessions closes all sessions; called if their open transactions prevent the file
     *     from being closed
     */
    public void openAnew(ReentrantLock writes, Runnable endSessions) {
        if (file == null || !writes.tryLock()) {
            return;
        }
        try (Statement statement = root.createStatement()) {
            if (System.nanoTime() - triedNanos < PAUSE_NANOS) {
                return;
            }
            triedNanos = System.nanoTime();
            statement.execute("DETACH DATABASE IF EXISTS " + CATALOG);
            statement.execute(attach(file));
            conflicts = 0;
        } catch (SQLException e) {
            if (++conflicts == PATIENCE) {
                conflicts = 0;
                endSessions.run();
            }
        } finally {
            writes.unlock();
        }
    }

    public void stopped() {
        stopped = true;
    }

    public boolean isStopped() {
        return stopped;
    }

    /** Writes the log into the file, unless a transaction prevents it, and closes the file. */
    @Override
    public void close() {
        try (Statement statement = root.createStatement()) {
            statement.execute("CHECKPOINT " + CATALOG);
        } catch (SQLException ignored) {
            // The log is durable; the next start replays it.
        }
        closeQuietly(root);
    }

    private static Properties properties(EngineOptions options) {
        Properties properties = new Properties();
        properties.setProperty("jdbc_stream_results", "true");
        properties.setProperty("memory_limit", options.engineBytes() + "B");
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
                // The connection is not used any more.
            }
        }
    }
}
