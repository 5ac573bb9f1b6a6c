package org.keyline.stores.mysql.catalog;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A proxy to a server on loopback that a test can stall, cut and restore. Thread-safe. */
final class Tollgate implements AutoCloseable {
    private final ServerSocket listening;
    private final int target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Lock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();
    private boolean held;
    private volatile boolean cut;
    private final AtomicInteger refused = new AtomicInteger();

    Tollgate(int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Stalls all bytes from now on, without losing any. */
    void hold() {
        lock.lock();
        try {
            held = true;
        } finally {
            lock.unlock();
        }
    }

    void release() {
        lock.lock();
        try {
            held = false;
            released.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Closes all connections, and refuses new ones until {@link #mend}. */
    void cut() {
        cut = true;
        open.forEach(Tollgate::end);
    }

    /** Returns the number of connections that arrived while it was cut. */
    int refused() {
        return refused.get();
    }

    void mend() {
        cut = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                if (cut) {
                    refused.incrementAndGet();
                    end(client);
                    continue;
                }
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                open.add(client);
                open.add(server);
                start(() -> pump(client, server));
                start(() -> pump(server, client));
            }
        } catch (IOException closed) {
            cut();
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] bytes = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                pass();
                out.write(bytes, 0, length);
            }
        } catch (IOException ended) {
            // the other side notices the close
        }
    }

    private void pass() {
        lock.lock();
        try {
            while (held) {
                released.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "tollgate");
        thread.setDaemon(true);
        thread.start();
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        release();
        listening.close();
    }
}
