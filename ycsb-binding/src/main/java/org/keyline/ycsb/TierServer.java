package org.keyline.ycsb;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A separate Redis or Valkey of an experiment, on loopback, without files. Confined to one thread.
 */
final class TierServer implements AutoCloseable {
    private static final int START_TIMEOUT_SECONDS = 30;
    private static final int TIMEOUT_MS = 5_000;
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final String program;
    private final int port;
    private final List<String> options;
    private Process process;

    private TierServer(String program, int port, List<String> options) throws IOException {
        this.program = program;
        this.port = port;
        this.options = options;
        this.process = launch();
    }

    /**
     * Starts a server and waits until it accepts commands.
     *
     * @param program redis-server, valkey-server, or a file
     * @param options of its command line, besides the address
     * @throws IOException if the program is missing, or does not start
     */
    static TierServer start(String program, String... options) throws IOException {
        TierServer server = new TierServer(program, GatewayProcess.freePort(), List.of(options));
        server.awaitReady();
        return server;
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                program,
                "--port",
                String.valueOf(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                System.getProperty("java.io.tmpdir")));
        command.addAll(options);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Returns the URL for gateways. */
    String url() {
        return "redis://127.0.0.1:" + port;
    }

    /** Returns a connection whose reads time out after some seconds. */
    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        return socket;
    }

    /** Kills its process, which loses all its data. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Starts it again, empty. */
    void startAgain() throws IOException {
        process = launch();
        awaitReady();
    }

    private void awaitReady() throws IOException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_TIMEOUT_SECONDS);
        while (!takesCommands()) {
            if (!process.isAlive() || System.nanoTime() - until > 0) {
                throw new IOException(program + " does not start on port " + port);
            }
            LockSupport.parkNanos(AGAIN_NANOS);
        }
    }

    private boolean takesCommands() {
        try (Socket socket = connect();
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return "+PONG".equals(in.readLine());
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Returns whether the PATH contains a program of this name. */
    static boolean isInstalled(String program) {
        for (String directory : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            if (Files.isExecutable(Path.of(directory).resolve(program))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        kill();
    }
}
