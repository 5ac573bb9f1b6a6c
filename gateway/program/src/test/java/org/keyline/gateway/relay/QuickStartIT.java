package org.keyline.gateway.relay;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.MariaDb;

/** Runs the commands of docs/quick-start.md, and compares their output with the page. */
final class QuickStartIT {
    private static final String FENCE = "```";
    private static final String NOT_RUN = "<!-- not run: ";
    private static final String GATEWAY = "java -jar keyline.jar serve ";
    private static final String STORE_PORT = "3306";
    private static final String PORT = "9030";

    private final MariaDb store = MariaDb.logging("quickstart");
    // A machine that has no locale: its client `mariadb` uses latin1 unless the page says otherwise.
    private final Map<String, String> environment = new HashMap<>(Map.of("LC_ALL", "C"));
    private @Nullable GatewayProcess gateway;

    @TempDir
    private Path directory;

    /** A command, and its output on the page. */
    private record Command(String line, List<String> output) {}

    @AfterEach
    void stop() throws SQLException {
        if (gateway != null) {
            gateway.close();
        }
        store.run("DROP DATABASE IF EXISTS shop", "DROP USER IF EXISTS app@'127.0.0.1', keyline_store@'127.0.0.1'");
    }

    @Test
    void commands_ofThePage_printWhatItSays() throws Exception {
        ClientProcess.assumeProgram("mariadb");
        List<Command> commands = commands(Files.readAllLines(Path.of("..", "..", "docs", "quick-start.md")));
        assertThat(commands).hasSizeGreaterThan(10);
        for (Command command : commands) {
            assertThat(run(command.line)).as(command.line).isEqualTo(command.output);
        }
    }

    /**
     * Returns the commands of all blocks, except those that a comment marks with the reason why
     * they are not run.
     */
    private static List<Command> commands(List<String> page) {
        List<Command> commands = new ArrayList<>();
        boolean within = false;
        boolean skipped = false;
        for (int i = 0; i < page.size(); i++) {
            String line = page.get(i);
            if (line.startsWith(FENCE)) {
                within = !within;
                skipped = within && page.get(i - 1).startsWith(NOT_RUN);
            } else if (within && !skipped && line.startsWith("$ ")) {
                commands.add(new Command(line.substring(2), new ArrayList<>()));
            } else if (within && !skipped) {
                commands.get(commands.size() - 1).output.add(line);
            }
        }
        return commands;
    }

    private List<String> run(String command) throws Exception {
        if (command.startsWith("export ")) {
            String[] assignment = command.substring("export ".length()).split("=", 2);
            environment.put(assignment[0], assignment[1]);
            return List.of();
        }
        if (command.startsWith(GATEWAY)) {
            String options =
                    command.substring(GATEWAY.length()).replace(" &", "").replace(":" + STORE_PORT, ":" + store.port());
            // Lines must not expire, even on a busy machine.
            String[] arguments = (options + " --ttl 1h").split(" ", -1);
            gateway = GatewayProcess.startInFront(
                    environment,
                    ProcessBuilder.Redirect.to(directory.resolve("log").toFile()),
                    arguments);
            return List.of("keyline ready on 127.0.0.1:" + PORT);
        }
        String client = "mariadb --no-defaults --skip-ssl -t ";
        String here = command.startsWith("sudo mariadb ")
                ? command.replace(
                        "sudo mariadb ",
                        client + "-h 127.0.0.1 -P " + store.port() + " -u " + MariaDb.USER + " -p" + MariaDb.PASSWORD
                                + " ")
                : command.replace("mariadb ", client)
                        .replace(
                                "-P " + PORT,
                                "-P "
                                        + requireNonNull(gateway, "the page does not start it")
                                                .address()
                                                .port());
        return ClientProcess.output(environment, "bash", "-c", here).lines().toList();
    }
}
