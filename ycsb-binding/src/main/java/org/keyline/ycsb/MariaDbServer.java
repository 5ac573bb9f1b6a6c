package org.keyline.ycsb;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The MariaDB that experiments compare with: a running one, or the one installed here, started on
 * loopback with temporary data that {@link #close} deletes. Confined to one thread.
 */
final class MariaDbServer implements AutoCloseable {
    private static final String USER = "keyline";
    /** Light clients log in without a password. */
    private static final String PASSWORD = "";

    private final String address;
    private final String user;
    private final String password;
    private final @Nullable Process process;
    private final @Nullable Path directory;

    private MariaDbServer(
            String address, String user, String password, @Nullable Process process, @Nullable Path directory) {
        this.address = address;
        this.user = user;
        this.password = password;
        this.process = process;
        this.directory = directory;
    }

    /**
     * Returns the server that the options name, or starts one.
     *
     * @param options with mariadb (HOST:PORT or "installed"), mariadb-user and mariadb-password
     * @throws IOException if none is installed, or it does not start
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
        Path users = Files.writeString(
                directory.resolve("users.sql"),
                "CREATE USER IF NOT EXISTS " + USER + "@'127.0.0.1';\nGRANT ALL ON *.* TO " + USER
                        + "@'127.0.0.1' WITH GRANT OPTION;\n");
        int port = GatewayProcess.freePort();
        List<String> command = new ArrayList<>(List.of(program("mariadbd"), "--no-defaults", data, owner));
        command.addAll(List.of(
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--skip-name-resolve",
                "--socket=" + directory.resolve("socket"),
                "--init-file=" + users,
                "--max-connections=1000",
                // As on a primary with replicas. Change signals also need the binary log.
                "--log-bin=" + directory.resolve("binlog"),
                "--server-id=1",
                "--binlog-format=ROW",
                "--innodb-buffer-pool-size=1G",
                "--innodb-flush-log-at-trx-commit=2"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            lines.add(line);
            if (line.contains("ready for connections")) {
                GatewayProcess.drain(output);
                return new MariaDbServer("127.0.0.1:" + port, USER, PASSWORD, process, directory);
            }
        }
        throw new IOException("MariaDB exited before it was ready:\n" + String.join("\n", lines));
    }

    private static String program(String name) throws IOException {
        String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/local/sbin";
        for (String directory : path.split(":", -1)) {
            if (Files.isExecutable(Path.of(directory, name))) {
                return Path.of(directory, name).toString();
            }
        }
        throw new IOException(
                name + " is not installed (Debian: mariadb-server); or name a server: --mariadb HOST:PORT");
    }

    /** Returns the server itself, with a database. */
    Target straight(String database) {
        return through(address, database);
    }

    /** Returns the same account by way of a gateway. */
    Target through(String gateway, String database) {
        return new Target(Target.DEFAULT_URL.replace("127.0.0.1:9030/ycsb", gateway + "/" + database), user, password);
    }

    /** Returns the options of a gateway's serve command that put it in front of this server. */
    List<String> serveOptions() {
        return List.of("--store", "mysql://" + address, "--store-user", user, "--store-password", password);
    }

    /** Returns the processor time of the server so far; zero if this class did not start it. */
    Duration processorTime() {
        return process == null ? Duration.ZERO : GatewayProcess.processorTime(process);
    }

    /** Stops the server if this class started it. */
    @Override
    public void close() throws IOException {
        if (process == null || directory == null) {
            return;
        }
        // Process.destroy() would close the output that another thread reads
        process.toHandle().destroy();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
