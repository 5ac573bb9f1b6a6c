package org.keyline.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The version and commit from which this jar was built. Immutable.
 *
 * @param commit the abbreviated commit; empty if unknown
 * @param time the time of the commit
 */
record Build(String version, String commit, String time) {
    static final Build THIS = read();

    private static Build read() {
        Properties built = new Properties();
        try (InputStream file = Build.class.getResourceAsStream("commit.properties")) {
            if (file != null) {
                built.load(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String version = Build.class.getPackage().getImplementationVersion();
        return new Build(
                version == null ? "development" : version,
                built.getProperty("git.commit.id.abbrev", ""),
                built.getProperty("git.commit.time", ""));
    }
}
