package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.function.BiConsumer;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.Plan;
import org.keyline.planner.PointRead;
import org.keyline.protocol.server.Reply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The question to the store for a session's variables, ahead of the first statement that reads or writes by them. Confined to one event
 * loop.
 */
final class Verification {
    /*
     * The question counts one row, which the next FOUND_ROWS() must not tell: a read that follows hides it; otherwise it is
     * asked only where that answer would be 0 or 1 anyway, and values of unknown meaning close whole tables.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Verification.class);

    private final SessionSettings settings;
    private final Forwarder forwarder;
    private final KeptCommand kept;
    private final BiConsumer<ByteBuf, Reply> again;

    /** @param again runs a command from its beginning */
    Verification(SessionSettings settings, Forwarder forwarder, KeptCommand kept, BiConsumer<ByteBuf, Reply> again) {
        this.settings = settings;
        this.forwarder = forwarder;
        this.kept = kept;
        this.again = again;
    }

    /**
     * Whether the store has to be asked before a statement goes on.
     *
     * @param executed false for a PREPARE
     */
    boolean isNeeded(Plan plan, boolean executed) {
        if (settings.verified()) {
            return false;
        }
        if (plan instanceof PointRead) {
            return executed || forwarder.foundRows() >= 0;
        }
        return ((Forward) plan).effect() instanceof Effect.Rows && forwarder.foundRows() >= 0;
    }

    /** Asks, then runs the kept command again. */
    void run(Reply reply) {
        byte[] command = Arrays.copyOf(kept.bytes(), kept.length());
        boolean nothingFound = forwarder.foundRows() == 0;
        forwarder
                .variables(SessionVariables.ASKED, nothingFound)
                .whenComplete((values, failure) -> Forwarder.guarded(reply, () -> {
                    if (failure == null) {
                        settings.told(values);
                        again.accept(Unpooled.wrappedBuffer(command), reply);
                    } else {
                        LOG.info(
                                "connection {}: the store session is lost: {}",
                                reply.connectionId(),
                                failure.toString());
                        reply.closeConnection();
                    }
                }));
    }
}
