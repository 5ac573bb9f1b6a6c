package org.keyline.ycsb;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * A Redis or Valkey in its own process, on loopback, which writes no files. Confined to one thread.
 */
final class TierServer implements AutoCloseable {
    private static final int TIMEOUT_MS = 5_000;

    private final int port;
    private final List<String> command;
    private ServerProcess process;

    private TierServer(int port, List<String> command) throws IOException {
        this.port = port;
        this.command = command;
        this.process = launch();
    }

    /**
     * Starts a server and waits until it accepts commands.
     *
     * @param program redis-server, valkey-server, or the path of a program
     * @throws IOException if the program is missing, or does not start
     */
    static TierServer start(String program, String... options) throws IOException {
        int port = ServerProcess.freePort();
        List<String> command = new ArrayList<>(List.of(program, "--port", "" + port, "--bind", "127.0.0.1"));
        command.addAll(List.of("--save", "", "--appendonly", "no", "--dir", System.getProperty("java.io.tmpdir")));
        command.addAll(List.of(options));
        return new TierServer(port, command);
    }

    private ServerProcess launch() throws IOException {
        return ServerProcess.start(
                new ProcessBuilder(command).redirectErrorStream(true), "Ready to accept connections");
    }

    String url() {
        return "redis://127.0.0.1:" + port;
    }

    /** Opens a connection whose reads time out after {@value #TIMEOUT_MS} ms. */
    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        return socket;
    }

    /** Kills the server, which loses all data. */
    void kill() {
        process.kill();
    }

    void startAgain() throws IOException {
        process = launch();
    }

    @Override
    public void close() {
        kill();
    }
}
