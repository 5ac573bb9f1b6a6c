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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A server in a separate process. Confined to one thread. */
final class ServerProcess implements AutoCloseable {
    private static final Set<Integer> USED_PORTS = ConcurrentHashMap.newKeySet();

    private static final Pattern PROBLEM = Pattern.compile("\\b(WARN|ERROR)\\b");

    private final List<String> command;
    private final String ready;
    private Process process;

    /** Starts a server and waits for a line of its output that contains {@code ready}. */
    ServerProcess(List<String> command, String ready) throws IOException {
        this.command = command;
        this.ready = ready;
        this.process = launch();
    }

    private Process launch() throws IOException {
        Process launched = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader output = launched.inputReader(StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            lines.add(line);
            if (line.contains(ready)) {
                // Reads all output, so that the process never blocks on a full pipe.
                Thread reader = new Thread(
                        () -> output.lines().filter(PROBLEM.asPredicate()).forEach(System.err::println), "output");
                reader.setDaemon(true);
                reader.start();
                return launched;
            }
        }
        throw new IOException(String.join(" ", command) + " exited before it was ready\n" + String.join("\n", lines));
    }

    Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    void startAgain() throws IOException {
        process = launch();
    }

    /** Terminates the process and waits for its end, so that the caller may delete its files. */
    @Override
    public void close() {
        // Process.destroy() would close the output that another thread reads.
        process.toHandle().destroy();
        process.onExit()
                .orTimeout(1, TimeUnit.MINUTES)
                .exceptionally(late -> process.destroyForcibly())
                .join();
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

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Returns the path of the first of these programs that is installed. */
    static String installed(String... names) throws IOException {
        String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/local/sbin";
        return Stream.of(names)
                .flatMap(name -> Stream.of(path.split(":", -1)).map(directory -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IOException(String.join(" or ", names) + " is not installed"))
                .toString();
    }

    /** Runs a process, and returns the lines of its output. Fails if its exit status is not 0. */
    static List<String> output(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> output;
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            output = reader.lines().toList();
        }
        int status = process.onExit().join().exitValue();
        if (status != 0) {
            throw new IOException(
                    String.join(" ", command) + " exited with status " + status + "\n" + String.join("\n", output));
        }
        return output;
    }
}
