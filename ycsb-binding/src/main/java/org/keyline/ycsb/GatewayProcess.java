package org.keyline.ycsb;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A gateway in a separate process, on ports of its own. {@link #figures} may be called from any
 * thread, all else from one.
 */
final class GatewayProcess implements AutoCloseable {
    private static final Set<Integer> USED_PORTS = ConcurrentHashMap.newKeySet();

    private final Process process;
    private final int port;
    private final URI metrics;

    private GatewayProcess(Process process, int port, int httpPort) {
        this.process = process;
        this.port = port;
        this.metrics = URI.create("http://127.0.0.1:" + httpPort + "/metrics");
    }

    /**
     * Starts a gateway and waits until it accepts connections.
     *
     * @param jar of the gateway
     * @param javaOptions arguments of its JVM
     * @param options of its serve command, without the addresses
     * @throws IOException if it exits, or closes its output, before it is ready
     */
    static GatewayProcess start(Path jar, List<String> javaOptions, List<String> options) throws IOException {
        return start(freePort(), jar, javaOptions, options);
    }

    /** Starts a gateway on a given port. */
    static GatewayProcess start(int port, Path jar, List<String> javaOptions, List<String> options) throws IOException {
        int httpPort = freePort();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaOptions);
        command.addAll(List.of("-jar", jar.toString(), "serve"));
        command.addAll(List.of("--listen", "127.0.0.1:" + port, "--http", "127.0.0.1:" + httpPort));
        command.addAll(options);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("keyline ready on ")) {
                drain(output);
                return new GatewayProcess(process, port, httpPort);
            }
        }
        throw new IOException("the gateway exited before it was ready: " + String.join(" ", command));
    }

    /** Returns host and port of the MySQL protocol. */
    String address() {
        return "127.0.0.1:" + port;
    }

    String url() {
        return Target.DEFAULT_URL.replace(":9030/", ":" + port + "/");
    }

    /** Returns the target of a gateway with an embedded store. */
    Target target() {
        return new Target(url(), "root", "");
    }

    /**
     * Returns the samples of /metrics by name, added up over all labels.
     *
     * @throws IOException if the gateway does not answer
     */
    Map<String, Double> figures() throws IOException {
        Map<String, Double> figures = new HashMap<>();
        try (InputStream page = metrics.toURL().openStream()) {
            for (String line : new String(page.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                int value = line.lastIndexOf(' ');
                if (!line.startsWith("#") && value > 0) {
                    int labels = line.indexOf('{');
                    String name = line.substring(0, labels < 0 ? value : labels);
                    figures.merge(name, Double.valueOf(line.substring(value + 1)), Double::sum);
                }
            }
        }
        return figures;
    }

    /** Returns the processor time of the gateway so far. */
    Duration processorTime() {
        return processorTime(process);
    }

    /** Returns the processor time of a process so far; zero if the machine does not report it. */
    static Duration processorTime(Process process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /**
     * Waits until all other members of its tier extend the freshness of its lines. Until then its
     * lines expire early.
     */
    void awaitFreshness() throws IOException {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        // The sample covers all other members; NaN until each of them has sent a message.
        while (!(figures().getOrDefault("keyline_tier_freshness_lag_seconds", Double.NaN) < 1)) {
            if (System.nanoTime() - until > 0) {
                throw new IOException("the gateways receive no messages from each other");
            }
        }
    }

    @Override
    public void close() {
        // Process.destroy() would close the output that another thread reads
        process.toHandle().destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Reads the rest of the output, so that the process never blocks on a full pipe. */
    static void drain(BufferedReader output) {
        Thread reader = new Thread(() -> output.lines().forEach(line -> {}), "process-output");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Returns a port that was free a moment ago, and that this process has not used: the system may
     * return the same port twice in a row.
     */
    static int freePort() throws IOException {
        while (true) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                if (USED_PORTS.add(socket.getLocalPort())) {
                    return socket.getLocalPort();
                }
            }
        }
    }
}
