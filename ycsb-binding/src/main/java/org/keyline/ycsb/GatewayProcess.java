package org.keyline.ycsb;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A gateway on the embedded store, in a process and on ports of its own. Confined to one thread. */
final class GatewayProcess implements AutoCloseable {
    private final Process process;
    private final int port;

    private GatewayProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts one and waits until it accepts connections.
     *
     * @param jar of the gateway
     * @param javaOptions given to its JVM
     * @param options of its serve command, besides the addresses
     * @throws IOException if it ends or says nothing before it is ready
     */
    static GatewayProcess start(Path jar, List<String> javaOptions, List<String> options) throws IOException {
        int port = freePort();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaOptions);
        command.addAll(List.of("-jar", jar.toString(), "serve"));
        command.addAll(List.of("--listen", "127.0.0.1:" + port, "--http", "127.0.0.1:" + freePort()));
        command.addAll(options);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("keyline ready on ")) {
                drain(output);
                return new GatewayProcess(process, port);
            }
        }
        throw new IOException("the gateway ended before it was ready: " + String.join(" ", command));
    }

    String url() {
        return Target.DEFAULT_URL.replace(":9030/", ":" + port + "/");
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Reads the rest, so that the process never waits for a reader. */
    private static void drain(BufferedReader output) {
        Thread reader = new Thread(() -> output.lines().forEach(line -> {}), "gateway-output");
        reader.setDaemon(true);
        reader.start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
