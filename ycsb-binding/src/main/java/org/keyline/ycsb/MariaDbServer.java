package org.keyline.ycsb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The MariaDB that experiments compare with. It is a running server, or an installed one that this
 * class starts on loopback with temporary data, which {@link #close} deletes. Confined to one
 * thread.
 */
final class MariaDbServer implements Backend {
    private static final String USER = "keyline";
    /** Empty, because {@link LightClient} logs in without a password. */
    private static final String PASSWORD = "";

    private final Target server;
    private final String address;
    private final @Nullable ServerProcess process;
    private final @Nullable Path directory;

    private MariaDbServer(
            String address, String user, String password, @Nullable ServerProcess process, @Nullable Path directory) {
        this.server = new Target(Target.DEFAULT_URL.replace("127.0.0.1:9030", address), user, password);
        this.address = address;
        this.process = process;
        this.directory = directory;
    }

    /**
     * Uses the server that the options name, or starts one.
     *
     * @param options options that include {@link Options#common}
     * @throws IOException if no server is installed, or the server does not start
     */
    static MariaDbServer of(Options options) throws IOException {
        String address = options.text("mariadb");
        return address.equals("installed")
                ? start()
                : new MariaDbServer(
                        address, options.text("mariadb-user"), options.text("mariadb-password"), null, null);
    }

    private static MariaDbServer start() throws IOException {
        Path directory = Files.createTempDirectory("keyline-mariadb");
        String data = "--datadir=" + directory.resolve("data");
        String owner = "--user=" + System.getProperty("user.name");
        YcsbRuns.output(List.of(
                program("mariadb-install-db"),
                "--no-defaults",
                data,
                owner,
                "--auth-root-authentication-method=normal"));
        Path users = Files.writeString(directory.resolve("users.sql"), """
                        CREATE USER IF NOT EXISTS keyline@'127.0.0.1';
                        GRANT ALL ON *.* TO keyline@'127.0.0.1' WITH GRANT OPTION;
                        """);
        int port = ServerProcess.freePort();
        ProcessBuilder server = new ProcessBuilder(
                program("mariadbd"),
                "--no-defaults",
                data,
                owner,
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--skip-name-resolve",
                "--socket=" + directory.resolve("socket"),
                "--init-file=" + users,
                "--max-connections=1000",
                // A primary with replicas has a binary log, too, and change signals need it.
                "--log-bin=" + directory.resolve("binlog"),
                "--server-id=1",
                "--binlog-format=ROW",
                "--innodb-buffer-pool-size=1G",
                "--innodb-flush-log-at-trx-commit=2");
        ServerProcess process = ServerProcess.start(server.redirectErrorStream(true), "ready for connections");
        return new MariaDbServer("127.0.0.1:" + port, USER, PASSWORD, process, directory);
    }

    private static String program(String name) throws IOException {
        return ServerProcess.installed(name)
                .orElseThrow(() -> new IOException(
                        name + " is not installed (Debian: mariadb-server); or name a server: --mariadb HOST:PORT"));
    }

    Target straight(String database) {
        return server.withDatabase(database);
    }

    @Override
    public Target through(GatewayProcess gateway, String database) {
        return new Target(gateway.target().url(), server.user(), server.password()).withDatabase(database);
    }

    @Override
    public List<String> serveOptions() {
        return List.of(
                "--store", "mysql://" + address, "--store-user", server.user(), "--store-password", server.password());
    }

    @Override
    public String ddl() {
        return "mysql";
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public Duration processorTime() {
        return process == null ? Duration.ZERO : process.processorTime();
    }

    /** Stops the server and deletes its data, but only if this class started it. */
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
