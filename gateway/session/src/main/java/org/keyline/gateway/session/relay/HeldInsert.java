package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.merge.MergeKey;
import org.keyline.gateway.merge.MergedInserts;
import org.keyline.gateway.merge.WaitingInsert;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.codec.Packets;

/**
 * A session's INSERT that may be merged with others. The INSERT is the current command of its
 * {@link Relay}, but possibly runs at another store session. Confined to the session's event
 * loop, but a batch may call the methods of {@link WaitingInsert} on any thread.
 */
public final class HeldInsert implements WaitingInsert {
    /*
     * The client may disconnect at any time. A waiting INSERT is then removed. The fences of an
     * INSERT in a batch stay closed until its outcome is known, because otherwise other clients
     * could get old rows. If the client's store session runs the batch, this session stays open
     * until then as well.
     */
    private final Relay relay;
    private final Forwarding forwarding;
    private final String row;
    private final Function<String, Supplier<ByteBuf>> query;
    private @Nullable Predicate<WaitingInsert> place;
    /** Runs when the INSERT has completed; null unless the INSERT was sent alone. */
    private @Nullable Runnable over;

    /** @param query creates a COM_QUERY from a text */
    public HeldInsert(Relay relay, Forwarding forwarding, String row, Function<String, Supplier<ByteBuf>> query) {
        this.relay = relay;
        this.forwarding = forwarding;
        this.row = row;
        this.query = query;
    }

    Forwarding forwarding() {
        return forwarding;
    }

    void join(MergedInserts inserts, MergeKey key) {
        place = inserts.add(key, this);
    }

    /** Called when the client has disconnected. Returns false if a batch is running the INSERT. */
    boolean isAbandoned() {
        return over != null || place == null || place.test(this);
    }

    void over() {
        Runnable then = over;
        over = null;
        if (then != null) {
            then.run();
        }
    }

    @Override
    public EventLoop loop() {
        return forwarding.reply().loop();
    }

    private void run(Runnable step) {
        forwarding.reply().run(step);
    }

    /** Runs a step, or ends the INSERT if the client has disconnected. */
    private void runOrEnd(Runnable step) {
        run(() -> {
            if (relay.borrowed().isClosed()) {
                relay.endHeld();
            } else {
                step.run();
            }
        });
    }

    @Override
    public String row() {
        return row;
    }

    @Override
    public void alone(Runnable then) {
        run(() -> {
            if (relay.borrowed().isClosed()) {
                relay.endHeld();
                then.run();
            } else {
                over = then;
                relay.sendHeld(forwarding);
            }
        });
    }

    @Override
    public void send(String sql, Listener listener) {
        run(() -> relay.sendBeside(
                query.apply(sql).get(),
                new InternalReply(null, reply -> listener.received(reply.summary()), listener::lost)));
    }

    @Override
    public void committed() {
        runOrEnd(() -> {
            ByteBuf packet = forwarding.reply().alloc().buffer();
            int begin = Packets.begin(packet);
            new OkPacket(1, 0, relay.late().statusWithModes(), 0).encode(packet);
            int unused = Packets.end(packet, begin, 1);
            relay.answerHeld(packet);
        });
    }

    @Override
    public void lost(Throwable cause) {
        runOrEnd(() -> relay.lost(cause));
    }
}
