package org.keyline.gateway.history;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A faulty network between gateway and store, which delays, stalls, holds or cuts connections on
 * request. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;

    /** One connection; a thread per direction forwards the bytes. */
    private final class Link {
        final Socket gateway;
        final Socket store;
        volatile boolean held;
        volatile boolean silent;

        Link(Socket gateway, Socket store) {
            this.gateway = gateway;
            this.store = store;
        }

        void pump(Socket from, Socket to, boolean request) {
            byte[] buffer = new byte[BUFFER_BYTES];
            try (from;
                    to;
                    InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    pass(this, request, buffer, read);
                    out.write(buffer, 0, read);
                }
            } catch (IOException e) {
                // The other side ended, or the connection was cut. Both sockets are closed, so
                // either peer notices.
            } finally {
                links.remove(this);
            }
        }

        void cut() {
            closeQuietly(gateway);
            closeQuietly(store);
        }
    }

    private final ServerSocket listening;
    private volatile @Nullable InetSocketAddress target;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Object gate = new Object();

    // Guarded by gate.
    private boolean requestsStalled;
    private boolean repliesStalled;
    private @Nullable Predicate<String> toHold;
    private int leftToHold;

    private volatile int maxDelayMicros;

    /** @param target null: connections fail until {@link #leadTo} sets it */
    public TcpProxy(@Nullable InetSocketAddress target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** Sets the target of connections from now on. */
    public void leadTo(InetSocketAddress address) {
        target = address;
    }

    /** Delays all bytes by a random time up to this; connections overtake each other. */
    public void delay(int maxMicros) {
        maxDelayMicros = maxMicros;
    }

    /** Stops these directions until the next call. */
    public void stall(boolean requests, boolean replies) {
        synchronized (gate) {
            requestsStalled = requests;
            repliesStalled = replies;
            gate.notifyAll();
        }
    }

    /**
     * Holds the replies of the connection that next sends such a request, until {@link #release}.
     */
    public void holdNext(Predicate<String> requests) {
        holdNext(1, requests);
    }

    /** Holds the replies of this many connections. */
    public void holdNext(int connections, Predicate<String> requests) {
        synchronized (gate) {
            toHold = requests;
            leftToHold = connections;
        }
    }

    /** Returns whether such a request was sent, so that its reply is held. */
    public boolean holds() {
        return held() > 0;
    }

    /** Returns the number of connections whose replies are held. */
    public long held() {
        return links.stream().filter(link -> link.held).count();
    }

    public void release() {
        synchronized (gate) {
            toHold = null;
            links.forEach(link -> link.held = false);
            gate.notifyAll();
        }
    }

    /**
     * Drops all bytes of the current connections, without notice to either side; new connections
     * work.
     */
    void forget() {
        links.forEach(link -> link.silent = true);
    }

    /** Closes the connections that were {@linkplain #forget forgotten}. */
    void remember() {
        links.stream().filter(link -> link.silent).forEach(link -> {
            link.cut();
            link.silent = false;
        });
        synchronized (gate) {
            gate.notifyAll();
        }
    }

    /** Closes the connection whose reply is held. */
    public void cutHeld() {
        links.stream().filter(link -> link.held).forEach(Link::cut);
        release();
    }

    /** Resets all connections at once; bytes that the peers send meanwhile are lost. */
    public void reset() throws IOException {
        for (Link link : links) {
            link.gateway.setSoLinger(true, 0);
            link.store.setSoLinger(true, 0);
            link.cut();
        }
    }

    /** Closes connections, each with this probability. */
    public void cut(double share) {
        links.forEach(link -> {
            if (ThreadLocalRandom.current().nextDouble() < share) {
                link.cut();
            }
        });
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut(1);
        remember();
        release();
        stall(false, false);
    }

    private void accept() {
        try {
            while (true) {
                Socket gateway = listening.accept();
                connect(gateway);
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void connect(Socket gateway) {
        Socket store = new Socket();
        try {
            InetSocketAddress to = target;
            if (to == null) {
                throw new ConnectException("nobody is there yet");
            }
            store.connect(to);
            store.setTcpNoDelay(true);
            gateway.setTcpNoDelay(true);
        } catch (IOException down) {
            closeQuietly(gateway);
            return;
        }
        Link link = new Link(gateway, store);
        links.add(link);
        start(() -> link.pump(gateway, store, true));
        start(() -> link.pump(store, gateway, false));
    }

    private void pass(Link link, boolean request, byte[] bytes, int length) throws IOException {
        int delay = maxDelayMicros;
        if (delay > 0) {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(delay) * 1_000L);
        }
        synchronized (gate) {
            if (request && toHold != null && toHold.test(new String(bytes, 0, length, StandardCharsets.ISO_8859_1))) {
                link.held = true;
                toHold = --leftToHold > 0 ? toHold : null;
            }
            while (link.silent || (request ? requestsStalled : repliesStalled || link.held)) {
                try {
                    gate.wait();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError("a socket that does not close", e);
        }
    }
}
