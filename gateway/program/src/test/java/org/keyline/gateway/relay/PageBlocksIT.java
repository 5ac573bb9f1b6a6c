package org.keyline.gateway.relay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Runs the blocks of the pages for users: SQL statements in front of a MariaDB, configurations, and
 * the first session of the README on the demo. {@link QuickStartIT} runs the quick start. A comment
 * before a block can say why it is not run.
 */
final class PageBlocksIT {
    private static final Path TOP = Path.of("..", "..");
    private static final String FENCE = "```";
    private static final String PROMPT = "MySQL [demo]> ";

    private final MariaDb store = MariaDb.get("pages");

    @TempDir
    private Path directory;

    private static List<String> lines(String page) throws IOException {
        return Files.readAllLines(TOP.resolve(page));
    }

    /** Returns the blocks that no comment excludes. */
    private static List<List<String>> blocks(String page) throws IOException {
        List<List<String>> blocks = new ArrayList<>();
        String before = "";
        boolean within = false;
        for (String line : lines(page)) {
            if (line.startsWith(FENCE)) {
                within = !within;
                if (within) {
                    blocks.add(new ArrayList<>(List.of(before)));
                }
            } else if (within) {
                blocks.get(blocks.size() - 1).add(line);
            }
            before = line;
        }
        return blocks.stream()
                .filter(block -> !block.get(0).startsWith("<!-- not run: "))
                .map(block -> block.subList(1, block.size()))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/clients.md",
                "docs/operations.md",
                "docs/stores.md",
                "docs/tuning.md",
                "docs/coming-from.md",
                "docs/views.md",
                "docs/miss-reasons.md",
                "docs/configuration.md",
                "docs/install.md",
                "docs/embedded-store.md"
            })
    void blocks_ofThePage_areRight(String page) throws Exception {
        store.run(
                "DROP DATABASE IF EXISTS shop",
                "CREATE DATABASE shop",
                "CREATE TABLE shop.orders (id INT PRIMARY KEY, v INT, state VARCHAR(20))",
                "INSERT INTO shop.orders VALUES (1, 10, 'new')");
        try (RelayGateway gateway = RelayGateway.start(store);
                Connection client = gateway.connect("shop")) {
            for (List<String> block : blocks(page)) {
                String first = block.get(0);
                if (first.matches("(SELECT|SHOW|KEYLINE) .*")) {
                    Lines.run(client, statements(block));
                } else if (first.matches("\\w+:.*")) {
                    Path file = Files.write(directory.resolve("keyline.yaml"), block);
                    assertThat(new ConfigLoader(Map.of()).file(file).load()).isNotNull();
                } else {
                    // PagesTest requires that the named tests exist.
                    assertThat(first)
                            .as("block of %s that is neither run nor excluded", page)
                            .matches("(mvn|python3|\\$ mysql -t) .*");
                }
            }
        }
    }

    private static String[] statements(List<String> block) {
        String text =
                block.stream().map(line -> line.replaceAll(" +-- .*$", "")).collect(Collectors.joining("\n"));
        return Arrays.stream(text.split(";\n?", -1))
                .filter(part -> !part.isBlank())
                .toArray(String[]::new);
    }

    /** Times, and with them the widths of columns, differ from run to run. */
    private static String withoutTimes(String output) {
        return output.replaceAll("\\d+ ms", "N ms")
                .replaceAll("-+", "-")
                .replaceAll(" +", " ")
                .strip();
    }

    @Test
    void session_ofTheReadme_printsWhatItSays() throws Exception {
        ClientProcess.assumeProgram("mariadb");
        List<String> session = blocks("README.md").stream()
                .filter(block -> block.get(0).startsWith("$ mysql -t"))
                .findFirst()
                .orElseThrow();
        String input = session.stream()
                .filter(line -> line.startsWith(PROMPT))
                .map(line -> line.substring(PROMPT.length()))
                .collect(Collectors.joining("\n"));
        // The page omits the tables that repeat the first one.
        List<String> tables =
                session.stream().filter(line -> line.matches("[+|].*")).toList();
        try (DemoGateway gateway = DemoGateway.start("http=off", "cache.ttl=1h")) {
            byte[] output = ClientProcess.mysql(
                    gateway.address().port(), "root", "", (input + "\n").getBytes(UTF_8), "-t", "demo");
            List<String> first = tables.subList(0, 5);
            List<String> expected = new ArrayList<>(first);
            expected.addAll(first);
            expected.addAll(first);
            expected.addAll(tables.subList(5, tables.size()));
            assertThat(withoutTimes(new String(output, UTF_8))).isEqualTo(withoutTimes(String.join("\n", expected)));
        }
    }
}
