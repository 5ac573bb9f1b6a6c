package org.keyline.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreSession;

/** Sends the sample schema and rows of {@code --demo} to the store, over the client protocol. */
final class DemoSample {
    private static final int TIMEOUT_SECONDS = 60;

    private DemoSample() {}

    /** Sends the sample, and returns after the last reply. Must not be called on an event loop. */
    static void load(Store store, SessionIdentity identity, EventLoop loop, List<String> sample) throws StartException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Queue<String> statements = new ArrayDeque<>(sample);
        loop.execute(() -> store.open(identity, loop, () -> done.completeExceptionally(new IOException("lost")))
                .whenComplete((session, failure) -> {
                    if (failure != null) {
                        done.completeExceptionally(failure);
                    } else {
                        next(session, identity.capabilities(), statements, done);
                    }
                }));
        try {
            done.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new StartException("the demo data cannot be loaded: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted", e);
        }
    }

    private static void next(
            StoreSession session, int capabilities, Queue<String> statements, CompletableFuture<Void> done) {
        String statement = statements.poll();
        if (statement == null) {
            session.close();
            done.complete(null);
            return;
        }
        byte[] sql = statement.getBytes(StandardCharsets.UTF_8);
        ByteBuf payload =
                Unpooled.buffer(1 + sql.length).writeByte(CommandCode.COM_QUERY).writeBytes(sql);
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_QUERY, capabilities);
        session.send(payload, new ReplyListener() {
            @Override
            public void packets(ByteBuf framed) {
                scanner.scan(framed, framed.readerIndex(), framed.writerIndex());
                framed.release();
            }

            @Override
            public void end() {
                ErrPacket error = scanner.summary().error();
                if (error == null) {
                    next(session, capabilities, statements, done);
                } else {
                    done.completeExceptionally(new IOException(error.message() + " in: " + statement));
                }
            }

            @Override
            public void lost(Throwable cause) {
                done.completeExceptionally(cause);
            }
        });
    }
}
