package org.keyline.ycsb;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A gateway in its own process. Confined to one thread, except {@link #counters}. */
final class GatewayProcess implements AutoCloseable {
    private final ServerProcess process;
    private final int port;
    private final URI metrics;

    private GatewayProcess(ServerProcess process, int port, int httpPort) {
        this.process = process;
        this.port = port;
        this.metrics = URI.create("http://127.0.0.1:" + httpPort + "/metrics");
    }

    /**
     * Starts a gateway and waits until it accepts connections.
     *
     * @param javaOptions arguments of the gateway's JVM
     * @param options the options of the serve command, without the addresses
     * @throws IOException if the gateway exits, or closes its output, before it is ready
     */
    static GatewayProcess start(Path jar, List<String> javaOptions, List<String> options) throws IOException {
        return start(ServerProcess.freePort(), jar, javaOptions, options);
    }

    static GatewayProcess start(int port, Path jar, List<String> javaOptions, List<String> options) throws IOException {
        int httpPort = ServerProcess.freePort();
        List<String> command = new ArrayList<>(List.of(YcsbRuns.java()));
        command.addAll(javaOptions);
        command.addAll(List.of("-jar", jar.toString(), "serve"));
        command.addAll(List.of("--listen", "127.0.0.1:" + port, "--http", "127.0.0.1:" + httpPort));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        return new GatewayProcess(ServerProcess.start(builder, "keyline ready on "), port, httpPort);
    }

    /** Returns the gateway as target of clients, as user root without a password. */
    Target target() {
        return Target.onLoopback(port);
    }

    /**
     * Reads the gateway's metrics over HTTP.
     *
     * @throws IOException if the gateway does not answer
     */
    Counters counters() throws IOException {
        try (InputStream page = metrics.toURL().openStream()) {
            return Counters.parse(new String(page.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    Duration processorTime() {
        return process.processorTime();
    }

    /** Waits until the gateway has received messages of all other members of the tier. */
    void awaitFreshness() throws IOException {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        // The sample covers all other members. It is absent or NaN until each of them has sent a
        // message.
        while (!(counters().orNone("keyline_tier_freshness_lag_seconds") < 1)) {
            if (System.nanoTime() - until > 0) {
                throw new IOException("the gateways receive no messages from each other");
            }
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
