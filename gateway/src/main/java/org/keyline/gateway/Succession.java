package org.keyline.gateway;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.handover.Predecessor;
import org.keyline.gateway.handover.Successor;
import org.keyline.protocol.server.MySqlServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which process serves clients: the one before, this one, or the next. While two do, each writes unheard by the other, and lines rest: they
 * answer nothing. Thread-safe.
 */
final class Succession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Succession.class);

    private final @Nullable Path path;
    private final CompletableFuture<Void> succeeded = new CompletableFuture<>();
    private volatile @Nullable Predecessor predecessor;
    /** Set once no other process serves clients: until then nothing can be handed over. */
    private volatile @Nullable Successor successor;

    private volatile boolean resting;
    private volatile boolean ending;

    /** @param path where processes meet; null: nowhere */
    Succession(@Nullable Path path) {
        this.path = path;
    }

    /** Looks for a process that serves; null where there is none. */
    @Nullable
    Predecessor find() throws IOException {
        Predecessor found = path == null ? null : Predecessor.find(path);
        predecessor = found;
        resting = found != null;
        return found;
    }

    /** Whether lines rest. */
    boolean resting() {
        return resting;
    }

    /**
     * The server accepts clients, and no other process does: one that comes may take over.
     *
     * @param switched lines rest now, or no more
     */
    void begin(MySqlServer server, Runnable switched) throws IOException {
        if (path != null && predecessor == null) {
            await(path, new Incumbent(server, switched));
        }
    }

    /**
     * Clients are served here, so the process before this one is to end. When it has ended, lines are kept.
     *
     * @param forget nobody writes through that process any more: what was known before counts no more
     * @param switched lines rest now, or no more
     * @param kept lines are kept from now on
     */
    void takeOver(MySqlServer server, Runnable forget, Runnable switched, Runnable kept) {
        Path meeting = path;
        Predecessor before = predecessor;
        if (meeting == null || before == null) {
            return;
        }
        before.serving();
        var unused = before.ended()
                .thenRunAsync(
                        () -> {
                            // Lines that are loaded from now on hear of every write.
                            try {
                                await(meeting, new Incumbent(server, switched));
                            } catch (IOException e) {
                                LOG.error("the next process cannot take over: {}", StartException.describe(e));
                            }
                            forget.run();
                            resting = false;
                            switched.run();
                            LOG.info("the process that served before has ended: lines are kept from now on");
                            kept.run();
                        },
                        task -> new DefaultThreadFactory("keyline-alone", true)
                                .newThread(task)
                                .start())
                .exceptionally(bug -> {
                    LOG.error("lines stay off until a restart by an error of Keyline's own, please report it", bug);
                    return null;
                });
    }

    private synchronized void await(Path meeting, Incumbent incumbent) throws IOException {
        if (!ending) {
            Successor next = Successor.await(meeting, incumbent);
            successor = next;
            var unused = next.serving().thenRun(() -> succeeded.complete(null));
        }
    }

    /** Completes when the next process serves clients. */
    CompletionStage<Void> succeeded() {
        return succeeded;
    }

    /** Whether the next process serves clients. */
    boolean isSucceeded() {
        return succeeded.isDone();
    }

    /** This process ends by itself: from now on it hands nothing over. */
    synchronized void end() {
        ending = true;
    }

    /** To be called last: it tells the next process that nobody writes here any more. */
    @Override
    public void close() {
        Predecessor before = predecessor;
        if (before != null) {
            before.close();
        }
        Successor next = successor;
        if (next != null) {
            next.close();
        }
    }

    /** What the next process takes over. */
    private final class Incumbent implements Successor.Incumbent {
        private final MySqlServer server;
        private final Runnable switched;

        Incumbent(MySqlServer server, Runnable switched) {
            this.server = server;
            this.switched = switched;
        }

        @Override
        public int descriptor() {
            return ending ? PassedSocket.NONE : server.descriptor();
        }

        @Override
        public CompletionStage<Void> rest() {
            resting = true;
            switched.run();
            return server.accepting(false);
        }

        @Override
        public void resume() {
            resting = false;
            switched.run();
            var unused = server.accepting(true);
        }
    }
}
