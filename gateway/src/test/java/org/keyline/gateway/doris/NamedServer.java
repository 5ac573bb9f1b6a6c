package org.keyline.gateway.doris;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A way to a StarRocks frontend on loopback on which its {@code version_comment} begins with the product's name, as the gateway knows
 * StarRocks by. Thread-safe.
 */
final class NamedServer implements AutoCloseable {
    private final ServerSocket listening;
    private final int target;
    private final String comment;
    private final String named;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    NamedServer(int target, String comment) throws IOException {
        this.target = target;
        this.comment = comment;
        named = ("StarRocks version " + comment).substring(0, Math.max(comment.length(), "StarRocks".length()));
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                open.add(client);
                open.add(server);
                start(() -> pass(client, server, "", ""));
                start(() -> pass(server, client, comment, named));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void pass(Socket from, Socket to, String text, String instead) {
        byte[] bytes = new byte[1 << 16];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                String piece = new String(bytes, 0, read, StandardCharsets.ISO_8859_1);
                out.write(piece.replace(text, instead).getBytes(StandardCharsets.ISO_8859_1));
            }
        } catch (IOException gone) {
            // One of the two has ended the connection.
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "named server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
