package org.keyline.ycsb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The store of an experiment's gateways: a MariaDB, or an embedded store in each gateway. Clients
 * connect as root without a password. Confined to one thread.
 *
 * @param serveOptions the options of a gateway's serve command that select this store
 * @param target the store itself; null if it is embedded
 * @param directory the data of a server that this class started; {@link #close} deletes it
 */
record Backend(
        List<String> serveOptions,
        @Nullable Target target,
        @Nullable ServerProcess process,
        @Nullable Path directory) implements AutoCloseable {
    /** Returns a backend in which each gateway has its own embedded store. */
    static Backend embedded(String store) {
        return new Backend(List.of("--store", store), null, null, null);
    }

    /** Creates a backend for a server that has neither rows nor counters. */
    Backend(ServerProcess process) {
        this(List.of(), null, process, null);
    }

    /**
     * Uses a running MariaDB, or starts the installed one on loopback with temporary data.
     *
     * @param where HOST:PORT or "installed"
     */
    static Backend mariaDb(String where) throws IOException {
        return where.equals("installed") ? start() : server(where, null, null);
    }

    private static Backend server(String address, @Nullable ServerProcess process, @Nullable Path directory) {
        Target target = new Target(Target.DEFAULT_URL.replace("127.0.0.1:9030", address), "root", "");
        return new Backend(
                List.of("--store", "mysql://" + address, "--store-user", "root", "--store-password", ""),
                target,
                process,
                directory);
    }

    private static Backend start() throws IOException {
        Path directory = Files.createTempDirectory("keyline-mariadb");
        String data = "--datadir=" + directory.resolve("data");
        String owner = "--user=" + System.getProperty("user.name");
        String install = ServerProcess.installed("mariadb-install-db");
        ServerProcess.output(
                List.of(install, "--no-defaults", data, owner, "--auth-root-authentication-method=normal"));
        Path users = Files.writeString(directory.resolve("users.sql"), """
                        CREATE USER IF NOT EXISTS root@'127.0.0.1';
                        GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
                        """);
        int port = ServerProcess.freePort();
        // The binary log is on, as at a primary with replicas, because the change signal needs it.
        String server = """
                %s --no-defaults %s %s --bind-address=127.0.0.1 --port=%d --socket=%s --init-file=%s
                --skip-name-resolve --max-connections=1000 --log-bin=%s --server-id=1 --binlog-format=ROW
                --innodb-buffer-pool-size=1G --innodb-flush-log-at-trx-commit=2""".formatted(
                        ServerProcess.installed("mariadbd"),
                        data,
                        owner,
                        port,
                        directory.resolve("socket"),
                        users,
                        directory.resolve("binlog"));
        ServerProcess process = new ServerProcess(List.of(server.split("\\s+")), "ready for connections");
        return server("127.0.0.1:" + port, process, directory);
    }

    boolean isEmbedded() {
        return target == null;
    }

    Target straight(String database) {
        if (target == null) {
            throw new IllegalStateException("an embedded store has no server");
        }
        return target.withDatabase(database);
    }

    /** Returns the option {@code ddl} of {@code create-table}. */
    String ddl() {
        return isEmbedded() ? "doris" : "mysql";
    }

    /** Returns the processor time so far of a server that this class started; otherwise zero. */
    Duration processorTime() {
        return process == null ? Duration.ZERO : process.processorTime();
    }

    /** Returns the server's numeric status variables by their names in lower case. */
    Results status() throws IOException {
        if (target == null) {
            return Results.NONE;
        }
        Map<String, Double> numbers = new HashMap<>();
        try (Connection connection = target.withDatabase("").open();
                Statement sql = connection.createStatement();
                ResultSet rows = sql.executeQuery("SHOW GLOBAL STATUS")) {
            while (rows.next()) {
                if (rows.getString(2).matches("[0-9.]+")) {
                    numbers.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getDouble(2));
                }
            }
        } catch (SQLException failed) {
            throw new IOException("the store's counters: " + failed.getMessage(), failed);
        }
        return new Results(numbers);
    }

    @Override
    public void close() throws IOException {
        if (process == null || directory == null) {
            return;
        }
        process.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
