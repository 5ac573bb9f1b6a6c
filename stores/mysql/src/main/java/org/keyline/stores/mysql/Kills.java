package org.keyline.stores.mysql;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.client.ServerErrorException;
import org.keyline.protocol.codec.TextRowReader;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreThread;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kills statements of store sessions, with the gateway's own account. Thread-safe. */
final class Kills {
    /*
     * Each server numbers its own sessions, and one address can lead to several servers. So a KILL
     * by id alone could stop a statement of another client. The server's session list must
     * therefore contain the id exactly once, with the port that the session's connection has at the
     * gateway. The reading session's own row shows whether the server sees the gateway's ports
     * unchanged, and which host name the server has for the gateway.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Kills.class);

    /**
     * Maximum number of abandoned sessions that wait for a KILL. Statements of any further session
     * run until they end or the store stops them.
     */
    private static final int MAX_ABANDONED = 10_000;

    private final Function<EventLoop, CompletionStage<ClientConnection>> connect;
    private List<StoreThread> abandoned = new ArrayList<>();
    private boolean busy;
    private boolean warned;

    Kills(Function<EventLoop, CompletionStage<ClientConnection>> connect) {
        this.connect = connect;
    }

    void abandon(StoreThread thread, EventLoop loop) {
        synchronized (this) {
            if (abandoned.size() < MAX_ABANDONED) {
                abandoned.add(thread);
            }
            if (busy) {
                return;
            }
            busy = true;
        }
        endAbandoned(loop);
    }

    private void endAbandoned(EventLoop loop) {
        List<StoreThread> threads = next();
        if (threads.isEmpty()) {
            return;
        }
        var unused = kill("KILL ", threads, loop).whenComplete((done, failure) -> {
            if (failure != null && isFirstFailure()) {
                LOG.warn(
                        "A client disconnected while its statement ran, and the statement may continue to run at the store: the gateway's account could not stop it ({}). Grant the account PROCESS and"
                                + " CONNECTION ADMIN in MariaDB, PROCESS and CONNECTION_ADMIN in MySQL. This is logged once.",
                        String.valueOf(failure.getMessage()));
            }
            endAbandoned(loop);
        });
    }

    private synchronized List<StoreThread> next() {
        List<StoreThread> threads = abandoned;
        abandoned = new ArrayList<>();
        busy = !threads.isEmpty();
        return threads;
    }

    private synchronized boolean isFirstFailure() {
        boolean first = !warned;
        warned = true;
        return first;
    }

    /** Stops the statements of these sessions. The sessions stay open. */
    CompletionStage<?> interrupt(Collection<StoreThread> threads, EventLoop loop) {
        return kill("KILL QUERY ", threads, loop);
    }

    private CompletionStage<?> kill(String verb, Collection<StoreThread> threads, EventLoop loop) {
        return connect.apply(loop).thenCompose(connection -> {
            SessionList list = new SessionList(connection, threads);
            connection.query("SHOW PROCESSLIST", list);
            return list.read
                    .thenCompose(known -> CompletableFuture.allOf(known.stream()
                            .map(thread -> Kill.send(connection, verb, thread.id()))
                            .toArray(CompletableFuture[]::new)))
                    .thenRun(list::refuseUnproven)
                    .whenComplete((done, failure) -> connection.close());
        });
    }

    /** Finds out which of the threads are sessions of the connected server. */
    private static final class SessionList implements ResultListener {
        final CompletableFuture<List<StoreThread>> read = new CompletableFuture<>();
        private final ClientConnection connection;
        private final Map<String, StoreThread> wanted = new HashMap<>();
        private final Map<String, @Nullable String> hosts = new HashMap<>();
        private final String own;
        private TextRowReader cells = new TextRowReader(0);
        private int idAt = -1;
        private int hostAt = -1;
        private int unproven;

        SessionList(ClientConnection connection, Collection<StoreThread> threads) {
            this.connection = connection;
            own = Integer.toUnsignedString(connection.connectionId());
            threads.forEach(thread -> wanted.put(Integer.toUnsignedString(thread.id()), thread));
        }

        @Override
        public void columns(List<ColumnDefinition> columns) {
            cells = new TextRowReader(columns.size());
            for (int i = 0; i < columns.size(); i++) {
                String name = columns.get(i).name();
                idAt = name.equalsIgnoreCase("Id") ? i : idAt;
                hostAt = name.equalsIgnoreCase("Host") ? i : hostAt;
            }
        }

        @Override
        public void row(ByteBuf row) {
            cells.read(row);
            String id = text(idAt);
            if (id.equals(own) || wanted.containsKey(id)) {
                // An id that occurs twice belongs to sessions of two servers.
                hosts.merge(id, text(hostAt), (one, other) -> "");
            }
        }

        private String text(int at) {
            return at < 0 || cells.isNull(at) ? "" : cells.text(at, StandardCharsets.UTF_8);
        }

        @Override
        public void end(ReplySummary summary) {
            ErrPacket error = summary.error();
            if (error != null) {
                read.completeExceptionally(new ServerErrorException(error));
                return;
            }
            List<StoreThread> proven = new ArrayList<>();
            String seenAs = host(hosts.get(own), connection.localAddress());
            wanted.forEach((id, thread) -> {
                String host = hosts.get(id);
                if (host == null && seenAs != null && sameServer(thread)) {
                    return; // The session is closed, or the account may not see it.
                }
                if (seenAs != null && sameServer(thread) && seenAs.equals(host(host, thread.client()))) {
                    proven.add(thread);
                } else {
                    unproven++;
                }
            });
            read.complete(proven);
        }

        private boolean sameServer(StoreThread thread) {
            return thread.server() != null && thread.server().equals(connection.remoteAddress());
        }

        /** Returns the host of {@code host:port}; null if the port is not that of the address. */
        private static @Nullable String host(@Nullable String seen, @Nullable SocketAddress address) {
            if (seen == null || !(address instanceof InetSocketAddress inet)) {
                return null;
            }
            String port = ":" + inet.getPort();
            return seen.endsWith(port) ? seen.substring(0, seen.length() - port.length()) : null;
        }

        void refuseUnproven() {
            if (unproven > 0) {
                throw new StoreException(ErrPacket.of(
                        ErrorCode.ER_NO_SUCH_THREAD,
                        "Keyline cannot determine the server of " + unproven + " of the sessions"));
            }
        }

        @Override
        public void failed(Throwable cause) {
            read.completeExceptionally(cause);
        }
    }

    /** A KILL. An error for an unknown session is success, because the session may have closed. */
    private record Kill(CompletableFuture<Void> done) implements ResultListener {
        static CompletableFuture<Void> send(ClientConnection connection, String verb, int id) {
            Kill kill = new Kill(new CompletableFuture<>());
            connection.query(verb + Integer.toUnsignedString(id), kill);
            return kill.done;
        }

        @Override
        public void end(ReplySummary summary) {
            ErrPacket error = summary.error();
            if (error == null || error.code() == ErrorCode.ER_NO_SUCH_THREAD.number()) {
                done.complete(null);
            } else {
                done.completeExceptionally(new ServerErrorException(error));
            }
        }

        @Override
        public void failed(Throwable cause) {
            done.completeExceptionally(cause);
        }
    }
}
