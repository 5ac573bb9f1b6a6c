package org.keyline.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * What was built: the version of the manifest of the jar, and the commit, if it was known. Immutable.
 *
 * @param commit abbreviated; empty where it is not known
 * @param time of the commit
 */
record Build(String version, String commit, String time) {
    /** Of this jar. */
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
