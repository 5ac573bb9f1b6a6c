package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.FreePorts;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;

/**
 * The procedure of docs/operations.md with three gateways behind HAProxy: its script starts them
 * and kills each, and clients continue.
 */
final class SeveralGatewaysIT {
    private static final Path SCRIPT =
            Path.of("..", "..", "packaging", "several", "keyline-several").toAbsolutePath();
    private static final Path LOGS = Path.of("target", "several").toAbsolutePath();
    private static final Pattern KILLED = Pattern.compile(
            "(\\w+) was killed and started again: (\\d+) clients were answered at once, (\\d+) when they connected again, (\\d+) not");

    private record Ended(int status, String text) {}

    /**
     * The offsets of the script's ports: the balancer's, the gateways', their HTTP ports', the
     * tier's.
     */
    private static final int[] OFFSETS = {0, 1, 2, 3, 11, 12, 13, 20};

    private int port;

    private Ended script(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
        command.addAll(List.of(arguments));
        Files.createDirectories(LOGS);
        Path out = LOGS.resolve("script.log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        builder.environment()
                .putAll(Map.of(
                        "PORT",
                        String.valueOf(port),
                        "DIRECTORY",
                        LOGS.toString(),
                        "KEYLINE",
                        java + " -Xmx256m org.keyline.gateway.Main",
                        "CLASSPATH",
                        System.getProperty("java.class.path"),
                        "KEYLINE_STORE_PASSWORD",
                        MariaDb.PASSWORD,
                        "MYSQL_PWD",
                        MariaDb.PASSWORD));
        Process process = builder.start();
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        return new Ended(process.exitValue(), Files.readString(out, UTF_8));
    }

    @Test
    void clients_goOn_whileAnyGatewayOrTheTierIsKilled() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        assumeTrue(Files.isExecutable(Path.of("/usr/sbin/haproxy")), "there is no haproxy");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/mariadb")), "there is no client");
        MariaDb mariadb = MariaDb.get("second");
        String store = "mysql://127.0.0.1:" + mariadb.port();
        try (Connection straight = mariadb.connect("")) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS several",
                    "CREATE DATABASE several",
                    "CREATE TABLE several.numbers (id INT PRIMARY KEY, n INT)",
                    "INSERT INTO several.numbers VALUES (1, 10)");
        }
        Random random = new Random();
        do {
            // Below the ports that the system assigns meanwhile.
            port = 20_000 + random.nextInt(10_000);
        } while (!Arrays.stream(OFFSETS).allMatch(offset -> FreePorts.isFree(port + offset)));
        try {
            Ended up = script("up", "--store", store, "--store-user", MariaDb.USER);
            assertThat(up.text()).contains("ready on 127.0.0.1:" + port);
            assertThat(up.status()).isZero();
            try (Connection first = DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + (port + 1) + "/?user="
                    + MariaDb.USER + "&password=" + MariaDb.PASSWORD + "&allowPublicKeyRetrieval=true")) {
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> TierGateways.linked(first).equals("b1,c1"));
            }
            Ended show = script("show", MariaDb.USER, "SELECT n FROM several.numbers WHERE id = 1");
            System.out.print(show.text());
            List<String> killed = new ArrayList<>();
            Matcher received = KILLED.matcher(show.text());
            while (received.find()) {
                killed.add(received.group(1));
                assertThat(Integer.parseInt(received.group(2))).isPositive();
                assertThat(received.group(4)).isEqualTo("0");
            }
            assertThat(killed).containsExactly("a", "b", "c", "tier");
            assertThat(show.status()).isZero();
        } finally {
            assertThat(script("down").text()).contains("ended");
        }
    }

    @Test
    void wordsThatItDoesNotKnow_areTold() throws Exception {
        Ended other = script("start");
        assertThat(other.status()).isEqualTo(2);
        assertThat(other.text()).contains("command: start (expected: up, show or down)");
        assertThat(script("show", "root").text()).contains("expected: a user and a statement");
    }
}
