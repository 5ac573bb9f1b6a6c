package org.keyline.ycsb;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A gateway in its own process. Confined to one thread, except {@link #counters}. */
record GatewayProcess(ServerProcess process, int port, URI metrics) implements AutoCloseable {
    /** Starts a gateway with options of the serve command. Waits until it accepts connections. */
    static GatewayProcess start(int port, Path jar, List<String> javaOptions, List<String> options) throws IOException {
        String http = "127.0.0.1:" + ServerProcess.freePort();
        List<String> command = new ArrayList<>(List.of(ServerProcess.java()));
        command.addAll(javaOptions);
        command.addAll(List.of("-jar", jar.toString(), "serve", "--listen", "127.0.0.1:" + port, "--http", http));
        command.addAll(options);
        URI metrics = URI.create("http://" + http + "/metrics");
        return new GatewayProcess(new ServerProcess(command, "keyline ready on "), port, metrics);
    }

    /** Returns the gateway as a target, for clients that log in as root without a password. */
    Target target() {
        return Target.onLoopback(port);
    }

    Results counters() throws IOException {
        try (InputStream page = metrics.toURL().openStream()) {
            return Results.ofMetrics(new String(page.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** Waits until the gateway has received messages of all other members of the tier. */
    void awaitFreshness() throws IOException {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        // The metric is absent or NaN until every other member has sent a message.
        while (!(counters().get("keyline_tier_freshness_lag_seconds") < 1)) {
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
