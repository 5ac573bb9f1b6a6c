package org.keyline.gateway.doris;

import static org.assertj.core.api.Assertions.assertThat;

import groovy.lang.Binding;
import groovy.lang.GroovyShell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.codehaus.groovy.control.CompilerConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.fixtures.DemoGateway;
import org.slf4j.LoggerFactory;

/**
 * Doris's own suites of point queries and prepared statements, from a checkout of Doris, on the
 * embedded store. The suites run unchanged, each block three times.
 * {@code -Dkeyline.doris.suites=DIR} names its {@code regression-test}.
 */
@EnabledIfSystemProperty(named = "keyline.doris.suites", matches = ".+")
class DorisSuitesIT {
    /** The number of blocks that match Doris's recording, at the commit that the page names. */
    private static final int RIGHT = 168;

    private static final List<String> SUITES = List.of(
            "point_query_p0/test_point_query",
            "point_query_p0/test_point_query_partition",
            "point_query_p0/test_rowstore",
            "point_query_p0/test_rowstore_query",
            "prepared_stmt_p0/prepare_server_side",
            "prepared_stmt_p0/prepared_show",
            "prepared_stmt_p0/prepared_stmt",
            "prepared_stmt_p0/prepared_stmt_in_list",
            "prepared_stmt_p0/prepared_stmt_metadata");

    @Test
    void suites_comeOutAsDorisRecordedThem() throws Exception {
        Path directory = Path.of(System.getProperty("keyline.doris.suites"));
        int blocks = 0;
        int right = 0;
        int lines = 0;
        for (String name : SUITES) {
            List<DorisSuite.Block> recorded = blocks(directory.resolve("data/" + name + ".out"));
            DorisSuite.Outcome outcome;
            try (DemoGateway gateway = DemoGateway.start("demo=false", "http=off")) {
                outcome = run(gateway, directory.resolve("suites/" + name + ".groovy"), recorded);
            }
            blocks += recorded.size();
            right += outcome.right;
            lines += outcome.lines;
            System.out.printf(
                    "%s: %d of %d blocks, %d from lines%n", name, outcome.right, recorded.size(), outcome.lines);
            outcome.failedBlocks.forEach(failed -> System.out.println("  block " + shortened(failed)));
            outcome.failedChecks.forEach(failed -> System.out.println("  check " + shortened(failed)));
        }
        System.out.printf("%d of %d blocks, %d from lines%n", right, blocks, lines);
        assertThat(right).isGreaterThanOrEqualTo(RIGHT);
    }

    private static String shortened(String text) {
        String line = text.replaceAll("\\s+", " ");
        return line.length() > 300 ? line.substring(0, 300) + "…" : line;
    }

    private static DorisSuite.Outcome run(DemoGateway gateway, Path script, List<DorisSuite.Block> recorded)
            throws Exception {
        String schema = "regression_test_" + script.getName(script.getNameCount() - 2);
        try (Connection connection =
                        DriverManager.getConnection(gateway.jdbc("mysql", "", DorisSuite.OPTIONS), "root", "");
                Statement statement = connection.createStatement()) {
            int unused = statement.executeUpdate("CREATE DATABASE " + schema);
        }
        String url = gateway.jdbc("mysql", schema, DorisSuite.OPTIONS);
        Binding binding = new Binding();
        binding.setVariable(
                "context", Map.of("config", Map.of("jdbcUrl", url, "jdbcUser", "root", "jdbcPassword", "")));
        binding.setVariable("logger", LoggerFactory.getLogger("suite"));
        binding.setVariable("JdbcUtils", DorisSuite.class);
        CompilerConfiguration configuration = new CompilerConfiguration();
        configuration.setScriptBaseClass(DorisSuite.class.getName());
        String text = Files.readString(script)
                .replaceAll("(?m)^import org\\.apache\\.doris\\..*$", "")
                .replaceAll("(\\w+)\\.execute\\(\\)", "executed($1)");
        DorisSuite suite = (DorisSuite) new GroovyShell(binding, configuration).parse(text);
        try (Connection connection = DriverManager.getConnection(url, "root", "")) {
            return suite.run(connection, recorded);
        }
    }

    private static List<DorisSuite.Block> blocks(Path file) throws IOException {
        List<DorisSuite.Block> blocks = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith("-- !")) {
                blocks.add(new DorisSuite.Block(line.substring(4, line.lastIndexOf(" --")), new ArrayList<>()));
            } else if (!line.isEmpty() && !blocks.isEmpty()) {
                blocks.get(blocks.size() - 1).rows().add(List.of(line.split("\t", -1)));
            }
        }
        return blocks;
    }
}
