package org.keyline.ycsb;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A server in a separate process. Confined to one thread. */
final class ServerProcess implements AutoCloseable {
    private static final Set<Integer> USED_PORTS = ConcurrentHashMap.newKeySet();

    private final Process process;

    private ServerProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a server and waits for a line of its output.
     *
     * @param ready a part of the line by which the server reports that it accepts connections
     * @throws IOException if the server exits, or closes its output, before it is ready
     */
    static ServerProcess start(ProcessBuilder builder, String ready) throws IOException {
        Process process = builder.start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            lines.add(line);
            if (line.contains(ready)) {
                drain(output);
                return new ServerProcess(process);
            }
        }
        throw new IOException(
                String.join(" ", builder.command()) + " exited before it was ready\n" + String.join("\n", lines));
    }

    /** Reads and drops the output, so that the process never blocks on a full pipe. */
    private static void drain(BufferedReader output) {
        Thread reader = new Thread(() -> output.lines().forEach(line -> {}), "process-output");
        reader.setDaemon(true);
        reader.start();
    }

    /** Returns the processor time so far; zero if the machine does not report it. */
    Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Kills the process and waits for its end, so that the caller may delete its files. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        // Process.destroy() would close the output that another thread reads.
        process.toHandle().destroy();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException interrupted) {
            kill();
            Thread.currentThread().interrupt();
        }
    }

    /** Returns a free port, never the same twice. The operating system might repeat a port. */
    static int freePort() throws IOException {
        while (true) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                if (USED_PORTS.add(socket.getLocalPort())) {
                    return socket.getLocalPort();
                }
            }
        }
    }

    static Optional<String> installed(String name) {
        String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/local/sbin";
        for (String directory : path.split(":", -1)) {
            if (Files.isExecutable(Path.of(directory, name))) {
                return Optional.of(Path.of(directory, name).toString());
            }
        }
        return Optional.empty();
    }
}
