package org.keyline.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Debian package on a machine: installed, started as its unit does, upgraded, rolled back and
 * purged.
 */
final class DebianPackageIT {
    private static final Path PACKAGE = Path.of("target", "keyline.deb").toAbsolutePath();
    private static final long TIMEOUT_SECONDS = 120;

    /** Prints the links between installed pages that lead to no file. */
    private static final String BROKEN_LINKS = """
            grep -roP --include='*.md' '\\]\\(\\K[^)#:\\s]+(?=[)#])' /usr/share/doc/keyline |
            while IFS=: read -r page link; do
                [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
            done
            """;

    @TempDir
    private Path work;

    @Test
    void install_upgradeRollBackAndPurge_keepConfigurationAndRows() throws Exception {
        Optional<Machine> mounted = Machine.start(Files.createDirectory(work.resolve("machine")));
        assumeTrue(mounted.isPresent(), "no rights to mount");
        try (Machine machine = mounted.orElseThrow()) {
            machine.put(PACKAGE, "srv/keyline.deb");
            machine.run("dpkg", "-i", "/srv/keyline.deb");
            assertThat(machine.run("stat", "-c", "%U:%G %a", "/etc/keyline/keyline.yaml", "/var/lib/keyline"))
                    .isEqualTo("root:keyline 640\nkeyline:keyline 700\n");
            assertThat(machine.run("keyline", "--version"))
                    .matches("keyline \\S+ \\(commit [0-9a-f]{10}, \\d{4}-\\d\\d-\\d\\d\\)\n");
            assertThat(machine.run("stat", "-c", "%U:%G %a", "/var/log/keyline", "/etc/logrotate.d/keyline"))
                    .isEqualTo("keyline:keyline 750\nroot:root 644\n");
            assertThat(machine.run(
                            "bash", "-c", ". /usr/share/bash-completion/completions/keyline; complete -p keyline"))
                    .contains("_complete_keyline");

            assertThat(machine.run("ls", "/usr/share/doc/keyline", "/usr/share/doc/keyline/packaging"))
                    .contains("README.md", "CHANGELOG.md", "docs", "grafana", "prometheus");
            assertThat(machine.run("sh", "-c", BROKEN_LINKS)).isEmpty();

            // groff reports everything in a page that it does not support.
            assertThat(machine.run("sh", "-c", "groff -man -Tascii -ww /usr/share/man/man1/keyline*.1 2>&1 || true"))
                    .contains("keyline-serve - Serves clients until SIGTERM.", "check-config FILE", "store.url=URL")
                    .doesNotContain("warning");

            int port = freePort();
            machine.run(
                    "sed", "-i", "-e", "s/:9030$/:" + port + "/; s/^http: .*/http: off/", "/etc/keyline/keyline.yaml");
            machine.run("runuser", "-u", "keyline", "--", "keyline", "check-config", "/etc/keyline/keyline.yaml");
            try (Service service = new Service(machine);
                    Connection client = service.connect(port)) {
                client.createStatement().execute("CREATE DATABASE shop");
                client.createStatement().execute("CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)");
                client.createStatement().execute("INSERT INTO shop.t VALUES (1, 42)");
            }

            machine.run(
                    "sh",
                    "-ec",
                    "dpkg-deb -R /srv/keyline.deb /srv/next; sed -i 's/^Version: .*/Version: 99.0/' /srv/next/DEBIAN/control;"
                            + " dpkg-deb -Zgzip -z1 -b /srv/next /srv/next.deb");
            String first = machine.run("dpkg-query", "-W", "-f", "${Version}", "keyline");
            // The next version, then the first one again.
            for (String version : List.of("99.0", first)) {
                machine.run(
                        "dpkg", "--force-confold", "-i", version.equals(first) ? "/srv/keyline.deb" : "/srv/next.deb");
                assertThat(machine.run("dpkg-query", "-W", "-f", "${Version}", "keyline"))
                        .isEqualTo(version);
                assertThat(machine.run("cat", "/etc/keyline/keyline.yaml")).contains(":" + port);
                try (Service service = new Service(machine);
                        Connection client = service.connect(port);
                        ResultSet rows = client.createStatement().executeQuery("SELECT v FROM shop.t WHERE id = 1")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(1)).isEqualTo(42);
                }
            }

            assertThat(machine.run("dpkg", "--purge", "keyline")).contains("data stay in /var/lib/keyline");
            assertThat(
                            machine.run(
                                    "sh",
                                    "-c",
                                    "ls -d /etc/keyline /usr/bin/keyline /usr/share/keyline /var/log/keyline 2>/dev/null || true"))
                    .isEmpty();
        }
    }

    /** systemd itself reads the unit without warnings. */
    @Test
    void unit_isUnderstood() throws Exception {
        Path unit = Path.of("src", "files", "keyline.service");
        Path copy = work.resolve("keyline.service");
        Files.writeString(copy, Files.readString(unit).replace("/usr/bin/keyline", "/bin/true"));
        Process verify;
        try {
            verify = new ProcessBuilder("systemd-analyze", "verify", "--man=no", copy.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            abort("no systemd-analyze: " + e.getMessage());
            return;
        }
        String output = new String(verify.getInputStream().readAllBytes(), UTF_8);
        assertThat(output.lines().filter(line -> line.contains("keyline.service")))
                .isEmpty();
        assertThat(verify.waitFor()).isZero();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** The command of the unit, run under its account. */
    private static final class Service implements AutoCloseable {
        private final Process process;

        private Service(Machine machine) throws IOException, InterruptedException {
            List<String> unit = machine.run("cat", "/lib/systemd/system/keyline.service")
                    .lines()
                    .toList();
            String command = unit.stream()
                    .filter(line -> line.startsWith("ExecStart="))
                    .findFirst()
                    .orElseThrow()
                    .substring("ExecStart=".length());
            process = machine.start(
                    "setpriv",
                    "--reuid=keyline",
                    "--regid=keyline",
                    "--init-groups",
                    "sh",
                    "-c",
                    "cd /var/lib/keyline && exec " + command);
            StringBuilder said = new StringBuilder();
            BufferedReader output = process.inputReader(UTF_8);
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                said.append(line).append('\n');
                if (line.startsWith("keyline ready on")) {
                    return;
                }
            }
            throw new AssertionError("not started: " + said);
        }

        /** The network is the machine's own. */
        private Connection connect(int port) throws SQLException {
            assertThat(process.isAlive()).isTrue();
            return DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + port + "/?user=root&sslMode=DISABLED");
        }

        @Override
        public void close() {
            process.destroy();
            assertThat(process.onExit()
                            .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                            .join()
                            .exitValue())
                    .isZero();
        }
    }
}
