package org.keyline.gateway.tier;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * Three gateways as separate processes, whose links and connections to a Redis can be cut. Clients
 * may come from any thread.
 */
final class TierProcesses implements TierMembers {
    private static final Path LOGS = Path.of("target", "tier-processes").toAbsolutePath();

    private final MariaDb store;
    private final String[] settings;
    /** The connections from each of them to the Redis, if they share lines. */
    private final List<TcpProxy> ways = new ArrayList<>();
    /** The links to each of them from the others. */
    private final List<TcpProxy> links = new ArrayList<>();

    private final AtomicReferenceArray<GatewayProcess> gateways = new AtomicReferenceArray<>(TierGateways.NAMES.size());

    /**
     * @param redis stores the lines that they share; null if they share none
     * @param settings of all gateways, in addition to the usual ones
     */
    TierProcesses(MariaDb store, @Nullable RedisServer redis, String... settings) throws IOException {
        this.store = store;
        this.settings = settings;
        Files.createDirectories(LOGS);
        for (int gateway = 0; gateway < gateways.length(); gateway++) {
            links.add(new TcpProxy(null));
        }
        for (int gateway = 0; gateway < gateways.length(); gateway++) {
            if (redis != null) {
                ways.add(new TcpProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), redis.port())));
            }
            start(gateway);
        }
    }

    private void start(int gateway) throws IOException {
        String name = TierGateways.NAMES.get(gateway);
        List<String> arguments = new ArrayList<>(List.of(
                "--store",
                "mysql://127.0.0.1:" + store.port(),
                "--store-user",
                MariaDb.USER,
                "--store-password",
                MariaDb.PASSWORD,
                "--ttl",
                "1h"));
        List<String> all = new ArrayList<>(
                List.of("tier.members=" + TierGateways.members(links), "tier.name=" + name, "eventLoops=1"));
        if (!ways.isEmpty()) {
            all.add("tier.url=redis://127.0.0.1:" + ways.get(gateway).port());
            all.add("tier.values=true");
        }
        all.addAll(Arrays.asList(settings));
        all.forEach(setting -> arguments.addAll(List.of("--set", setting)));
        ProcessBuilder.Redirect log =
                ProcessBuilder.Redirect.appendTo(LOGS.resolve(name + ".log").toFile());
        GatewayProcess started = GatewayProcess.startInFront(log, arguments.toArray(String[]::new));
        gateways.set(gateway, started);
        links.get(gateway).leadTo(started.address().resolve());
    }

    private GatewayProcess process(int gateway) {
        return Objects.requireNonNull(gateways.get(gateway));
    }

    @Override
    public Connection connect(int gateway, String schema) throws SQLException {
        return DriverManager.getConnection("jdbc:mysql://" + process(gateway).address() + "/" + schema + "?user="
                + MariaDb.USER + "&password=" + MariaDb.PASSWORD + "&allowPublicKeyRetrieval=true");
    }

    @Override
    public String disturb(Random random, long whileNanos) throws IOException, InterruptedException {
        int gateway = random.nextInt(gateways.length());
        switch (random.nextInt(ways.isEmpty() ? 6 : 8)) {
            case 0 -> {
                process(gateway).process().destroyForcibly().onExit().join();
                start(gateway);
                return "a killed gateway";
            }
            case 1, 2, 3 -> {
                signal(gateway, "STOP");
                LockSupport.parkNanos(whileNanos);
                signal(gateway, "CONT");
                return "a stopped gateway";
            }
            case 4, 5 -> {
                cut(links.get(gateway), whileNanos);
                return "a gateway cut off from the others";
            }
            default -> {
                cut(ways.get(gateway), whileNanos);
                return "a gateway cut off from the tier";
            }
        }
    }

    private static void cut(TcpProxy proxy, long whileNanos) {
        proxy.stall(true, true);
        LockSupport.parkNanos(whileNanos);
        proxy.stall(false, false);
    }

    /** Sends a signal to its process: STOP or CONT. */
    private void signal(int gateway, String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder(
                        "kill",
                        "-" + name,
                        String.valueOf(process(gateway).process().pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new IOException("kill -" + name + " failed");
        }
    }

    @Override
    public void close() throws IOException {
        for (int gateway = 0; gateway < gateways.length(); gateway++) {
            GatewayProcess process = gateways.get(gateway);
            if (process != null) {
                process.process().destroyForcibly().onExit().join();
            }
        }
        for (TcpProxy way : ways) {
            way.close();
        }
        for (TcpProxy link : links) {
            link.close();
        }
    }
}
