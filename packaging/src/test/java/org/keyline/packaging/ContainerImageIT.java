package org.keyline.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The recipe of the container image. buildah builds and runs it if it is installed; its steps also
 * run one by one on this machine. Both use this machine's programs and JDK instead of the base
 * image, which would come from a registry.
 */
final class ContainerImageIT {
    private static final Path RECIPE = Path.of("container", "Containerfile");
    private static final Path CONTEXT = Path.of("..", "gateway", "target");
    private static final Path BUILDAH = Path.of("/usr/bin/buildah");
    private static final long TIMEOUT_SECONDS = 120;

    /**
     * The files that only a base image has; programs and libraries are the machine's, see
     * {@link #PROGRAMS}.
     */
    private static final String BASE = """
            mkdir -p "$1/base" && cd "$1/base"
            mkdir -p etc usr/bin usr/sbin usr/lib usr/lib64 usr/share opt/java/openjdk var/lib root proc sys dev run home tmp
            chmod 1777 tmp
            for name in passwd group shadow gshadow login.defs nsswitch.conf ld.so.cache default skel pam.d security; do
              cp -a "/etc/$name" etc/
            done
            for configuration in /etc/java*; do cp -a "$configuration" etc/ || true; done
            for directory in bin sbin lib lib64; do ln -s "usr/$directory" "$directory"; done
            printf 'FROM scratch\nCOPY . /\nENV PATH=/opt/java/openjdk/bin:/usr/sbin:/usr/bin:/sbin:/bin\n' > "$1/Basefile"
            """;

    /** Read only, so that the image contains only the files of the recipe. */
    private static final List<String> PROGRAMS = List.of("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64");

    @TempDir
    private Path work;

    /**
     * A step of the recipe.
     *
     * @param word such as RUN
     * @param rest the rest of the line
     */
    private record Step(String word, String rest) {
        List<String> list() throws IOException {
            return new YAMLMapper().readValue(rest, new TypeReference<>() {});
        }
    }

    /** The command that the image runs. */
    private static final class Image {
        private String user = "root";
        private String directory = "/";
        private List<String> entry = List.of();
        private List<String> arguments = List.of();

        /** Executes the recipe on a machine that has a JDK, as the base image has. */
        static Image of(Machine machine) throws IOException, InterruptedException {
            Image image = new Image();
            for (Step step : steps()) {
                switch (step.word) {
                    case "FROM", "EXPOSE" -> {
                        // This machine replaces the base image, and its network is the machine's
                        // own.
                    }
                    case "RUN" -> machine.run("sh", "-ec", step.rest);
                    case "COPY" -> {
                        String[] paths = step.rest.split(" ");
                        assertThat(paths).as(step.rest).hasSize(2);
                        String to = paths[1].substring(1);
                        machine.run("mkdir", "-p", "/" + Path.of(to).getParent());
                        machine.put(CONTEXT.resolve(paths[0]), to);
                    }
                    case "USER" -> image.user = step.rest;
                    case "WORKDIR" -> {
                        image.directory = step.rest;
                        machine.run("test", "-d", step.rest);
                    }
                    case "VOLUME" ->
                        assertThat(machine.run("stat", "-c", "%U", step.rest)).isEqualTo(image.user + "\n");
                    case "ENTRYPOINT" -> image.entry = step.list();
                    case "CMD" -> image.arguments = step.list();
                    default -> throw new AssertionError("a step that this test does not know: " + step);
                }
            }
            return image;
        }

        private static List<Step> steps() throws IOException {
            List<Step> steps = new ArrayList<>();
            StringBuilder line = new StringBuilder();
            for (String part : Files.readAllLines(RECIPE)) {
                if (part.startsWith("#")) {
                    continue;
                }
                boolean goesOn = part.endsWith("\\");
                line.append(goesOn ? part.substring(0, part.length() - 1) : part);
                if (!goesOn && !line.isEmpty()) {
                    int space = line.indexOf(" ");
                    steps.add(new Step(
                            line.substring(0, space), line.substring(space + 1).strip()));
                    line.setLength(0);
                }
            }
            return steps;
        }

        /** Starts the image's command, on other ports of the machine. */
        Process start(Machine machine, int port, int http) throws IOException {
            List<String> command = new ArrayList<>(
                    List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--init-groups", "sh", "-c"));
            command.add("cd " + directory + " && exec \"$@\"");
            command.add("sh");
            command.addAll(entry);
            for (String argument : arguments) {
                command.add(argument.replace(":9030", ":" + port).replace(":9031", ":" + http));
            }
            return machine.start(command.toArray(String[]::new));
        }
    }

    @Test
    void steps_makeAGatewayThatServes_andKeepsItsRows() throws Exception {
        Optional<Machine> mounted = Machine.start(Files.createDirectory(work.resolve("machine")));
        assumeTrue(mounted.isPresent(), "no rights to mount, so that the steps cannot be tried on this machine");
        try (Machine machine = mounted.orElseThrow()) {
            Image image = Image.of(machine);
            assertThat(image.arguments).contains("0.0.0.0:9030", "0.0.0.0:9031");
            int port = freePort();
            int http = freePort();
            serve(() -> image.start(machine, port, http), port, http);
        }
    }

    @Test
    void image_isBuiltAndRun() throws Exception {
        assumeTrue(Files.isExecutable(BUILDAH), "no container tool: /usr/bin/buildah is not installed");
        assumeTrue(Files.isSymbolicLink(Path.of("/lib")), "a base image is made of Debian's layout only");
        run(List.of("sh", "-ec", BASE, "sh", work.toString()));
        String from = Image.steps().get(0).rest;
        build(
                "--file",
                work.resolve("Basefile").toString(),
                "--tag",
                from,
                work.resolve("base").toString());
        Path context = Files.createDirectory(work.resolve("context"));
        Files.copy(CONTEXT.resolve("keyline.jar"), context.resolve("keyline.jar"));
        build("--file", RECIPE.toAbsolutePath().toString(), "--tag", "keyline-tried", context.toString());
        JsonNode config = new YAMLMapper()
                .readTree(run(buildah("inspect", "--type", "image", "keyline-tried")))
                .at("/OCIv1/config");
        assertThat(config.at("/User").asText()).isEqualTo("keyline");
        assertThat(config.at("/ExposedPorts").has("9030/tcp")).isTrue();

        String container = run(buildah("from", "--pull-never", "keyline-tried")).strip();
        int port = freePort();
        int http = freePort();
        // buildah itself looks for the program without the image's PATH.
        List<String> command = buildah("run", "--isolation", "chroot", "--network", "host");
        command.addAll(mounts());
        command.addAll(List.of(container, "--", "/usr/bin/env"));
        config.at("/Entrypoint").forEach(word -> command.add(word.asText()));
        config.at("/Cmd")
                .forEach(word ->
                        command.add(word.asText().replace(":9030", ":" + port).replace(":9031", ":" + http)));
        serve(() -> new ProcessBuilder(command).redirectErrorStream(true).start(), port, http);
    }

    /** Stores nothing outside of this test's directory. */
    private List<String> buildah(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                BUILDAH.toString(),
                "--root",
                work.resolve("storage").toString(),
                "--runroot",
                work.resolve("running").toString(),
                "--storage-driver",
                "vfs"));
        command.addAll(List.of(arguments));
        return command;
    }

    private void build(String... arguments) throws IOException, InterruptedException {
        List<String> command = buildah("bud", "--isolation", "chroot", "--network", "host", "--pull-never");
        command.addAll(mounts());
        command.addAll(List.of(arguments));
        run(command);
    }

    private static List<String> mounts() {
        List<String> mounts = new ArrayList<>();
        PROGRAMS.forEach(path -> mounts.addAll(List.of("--volume", path + ":" + path + ":ro")));
        mounts.addAll(List.of("--volume", System.getProperty("java.home") + ":/opt/java/openjdk:ro"));
        return mounts;
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        Path errors = work.resolve("errors");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new AssertionError(String.join(" ", command) + ": " + output + Files.readString(errors));
        }
        return output;
    }

    private interface Start {
        Process start() throws IOException;
    }

    /** Starts it twice: the rows of the first run exist in the second. */
    private static void serve(Start start, int port, int http) throws Exception {
        for (boolean first : new boolean[] {true, false}) {
            Process gateway = start.start();
            try {
                awaitReady(gateway, http);
                Path program = Path.of("/proc", Long.toString(program(gateway).pid()));
                assertThat(Files.getAttribute(program, "unix:uid"))
                        .as("the account")
                        .isNotEqualTo(0);
                if (first) {
                    run(
                            port,
                            "CREATE DATABASE shop",
                            "CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)",
                            "INSERT INTO shop.t VALUES (1, 42)");
                }
                assertThat(run(port, "SELECT v FROM shop.t WHERE id = 1")).isEqualTo("42");
                end(gateway);
            } finally {
                gateway.descendants().forEach(ProcessHandle::destroyForcibly);
                gateway.destroyForcibly();
            }
        }
    }

    private static void awaitReady(Process gateway, int http) throws IOException, InterruptedException {
        StringBuilder said = new StringBuilder();
        BufferedReader output = gateway.inputReader(UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            said.append(line).append('\n');
            if (line.startsWith("keyline ready on")) {
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + "/ready"))
                        .build();
                assertThat(HttpClient.newHttpClient()
                                .send(request, HttpResponse.BodyHandlers.discarding())
                                .statusCode())
                        .isEqualTo(200);
                return;
            }
        }
        throw new AssertionError("not started: " + said);
    }

    /** Returns the process of the gateway, below the processes of its environment. */
    private static ProcessHandle program(Process started) {
        return Stream.concat(Stream.of(started.toHandle()), started.descendants())
                .filter(process -> process.info().command().orElse("").endsWith("/java"))
                .findFirst()
                .orElseThrow();
    }

    /** Stops the gateway as a container is stopped. */
    private static void end(Process gateway) {
        boolean unused = program(gateway).destroy();
        assertThat(gateway.onExit()
                        .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                        .join()
                        .exitValue())
                .isZero();
    }

    /** Runs statements; returns the first value of the last one, if it returns rows. */
    private static String run(int port, String... statements) throws Exception {
        String value = "";
        try (Connection connection =
                        DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + port + "/?user=root&sslMode=DISABLED");
                Statement sql = connection.createStatement()) {
            for (String statement : statements) {
                if (sql.execute(statement)) {
                    try (ResultSet rows = sql.getResultSet()) {
                        value = rows.next() ? rows.getString(1) : "no row";
                    }
                }
            }
        }
        return value;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
