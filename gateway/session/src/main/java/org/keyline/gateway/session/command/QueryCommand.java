package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.session.local.LocalStatement;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.settings.Staleness;
import org.keyline.gateway.session.state.ConnectionIds;
import org.keyline.gateway.session.state.LoopParts;
import org.keyline.gateway.session.state.TextAhead;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.Plan;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.Digester;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.server.Reply;

/** Answers or forwards each COM_QUERY. Confined to one event loop. */
public final class QueryCommand extends SessionCommands {
    /** The bytes before a text without query attributes: 0 attributes in 1 set of values. */
    private static final byte[] NO_ATTRIBUTES = {0, 1};

    private final ConnectionIds ids;
    private final Verification verification;
    private final ReadAnswers reads;
    private final StatementForwarder forwards;
    private final LocalAnswers locals;

    /** @param ids translates the ids in KILL */
    public QueryCommand(
            SessionCommands shared,
            ConnectionIds ids,
            Verification verification,
            ReadAnswers reads,
            StatementForwarder forwards,
            LocalAnswers locals) {
        super(shared);
        this.ids = ids;
        this.verification = verification;
        this.reads = reads;
        this.forwards = forwards;
        this.locals = locals;
    }

    public void query(ByteBuf payload, Reply reply) {
        if (!keep(payload)) {
            forwards.unreadQuery(reply);
            return;
        }
        PlannedStatement planned = state.plan(copy.bytes(), copy.textAt(), copy.length());
        Digester digester = state.parts().digester();
        SlotValues values =
                state.parts().literals().of(digester, state.settings().utf8Bytes());
        planned = values.chosen(planned);
        boolean doubtful = verification.isDoubtful(planned.plan(), copy.bytes(), copy.textAt(), copy.length());
        if (verification.isNeeded(planned.plan(), true, doubtful)) {
            verification.run(reply);
            return;
        }
        if (verification.awaitsDefinition(planned.plan(), reply)) {
            return;
        }
        boolean otherwise = state.settings().mayMeanElse(copy.bytes(), copy.textAt(), copy.length());
        if (planned.plan() instanceof PointRead read && !otherwise) {
            reads.query(planned, read, values, Staleness.of(digester), reply);
            return;
        }
        Forward forward = planned.plan() instanceof Forward known && !otherwise
                ? known
                : verification.doubtful(planned.plan(), copy.bytes(), copy.textAt(), copy.length());
        LocalStatement local = locals.find(forward, copy.bytes(), copy.textAt(), copy.length());
        if (local == null && doubtful) {
            forward = verification.doubtful(forward, copy.bytes(), copy.textAt(), copy.length());
        }
        if (local != null && (locals.needsAccount(local) || verification.isNeeded(local))) {
            verification.run(reply);
            return;
        }
        if (local != null) {
            locals.answer(local, false, reply);
            return;
        }
        if (forward.kind() == StatementKind.EXECUTE && executeNamed(planned.text(), reply)) {
            return;
        }
        if (Forwarding.mayKill(copy.text(forward.kind()))) {
            CompletionStage<?> back = ids.back(copy.bytes(), copy.textAt(), copy.length());
            if (back != null) {
                // The clients that the KILL names must have store sessions first, because only the
                // store knows whether this client may kill them.
                again(back, reply);
                return;
            }
            byte[] translated = ids.translate(copy.bytes(), copy.textAt(), copy.length());
            if (translated != null) {
                // The values of the slots are invalid, because the slots refer to the old text.
                values = SlotValues.UNKNOWN;
                byte[] head = Arrays.copyOf(copy.bytes(), copy.textAt());
                copy.keep(Unpooled.wrappedBuffer(head, translated), head.length, copy.hasAttributes());
            }
        }
        reads.beside(forward, planned.text());
        forwards.query(forward, planned.text(), values, reply);
    }

    /** Runs a KILL again as soon as the clients that it names have store sessions. */
    private void again(CompletionStage<?> back, Reply reply) {
        byte[] command = Arrays.copyOf(copy.bytes(), copy.length());
        back.whenComplete((done, failure) -> reply.loop()
                .execute(() -> reply.run(() -> {
                    if (failure == null) {
                        query(Unpooled.wrappedBuffer(command), reply);
                    } else {
                        Forwarding.refuse(
                                ErrPacket.of(
                                        ErrorCode.ER_NO_SUCH_THREAD,
                                        "KILL failed: the client that it names has no connection to the store, and Keyline could not open one. Try again."),
                                false,
                                reply);
                    }
                })));
    }

    /** Prefetches the line of a COM_QUERY that will be dispatched soon. */
    public void ahead(ByteBuf payload) {
        boolean attributes = Capabilities.has(state.capabilities(), Capabilities.CLIENT_QUERY_ATTRIBUTES);
        int textAt = payload.readerIndex() + (attributes ? 1 + NO_ATTRIBUTES.length : 1);
        int length = payload.writerIndex() - textAt;
        if (length <= 0
                || length > TextAhead.MAX_BYTES
                || (attributes && !hasNone(payload))
                || !mayBeRead(payload.getByte(textAt))) {
            return;
        }
        PlannedStatement known = state.knownPlan(payload, textAt, length);
        if (known == null || (known.equalEnds() == null && !(known.plan() instanceof PointRead))) {
            return;
        }
        LoopParts parts = state.parts();
        SlotValues values =
                parts.literals().of(parts.digester(), state.settings().utf8Bytes());
        PlannedStatement planned = values.chosen(known);
        if (planned.plan() instanceof PointRead read) {
            parts.reader().ahead(planned, read, values, state.scope(false), state);
        }
    }

    /** Returns whether a statement that begins with this byte can be a read. */
    private static boolean mayBeRead(byte first) {
        return first == 'S' || first == 's' || first == '/' || first == '(';
    }

    private static boolean hasNone(ByteBuf payload) {
        int at = payload.readerIndex() + 1;
        return payload.getByte(at) == NO_ATTRIBUTES[0] && payload.getByte(at + 1) == NO_ATTRIBUTES[1];
    }

    /** Handles an EXECUTE like the statement it names. Returns false if its writes are unknown. */
    private boolean executeNamed(String text, Reply reply) {
        NamedStatements.Named named = forwards.named().executed(copy.text(StatementKind.EXECUTE));
        if (named == null) {
            return false;
        }
        Digester digester = state.parts().digester();
        digester.digest(named.sql(), 0, named.sql().length, named.mode());
        Plan plan = state.parts().plans().plan(digester, named.schema()).plan();
        Forward forward = plan instanceof Forward statement
                ? statement
                : new Forward(ForwardReason.NOT_A_SELECT, StatementKind.SELECT, Effect.NONE, false);
        boolean rows = switch (forward.kind()) {
            case SELECT, INSERT, UPDATE, DELETE -> !(forward.effect() instanceof Effect.Everything);
            default -> false;
        };
        if (rows) {
            forwards.executeNamed(named, forward, text, reply);
        }
        return rows;
    }

    /** Handles the first packet of a statement over 16 MiB. */
    public void queryLong(ByteBuf payload, Reply reply) {
        forwards.longQuery(keep(payload), reply);
    }

    /** Copies the command. Returns false if its query attributes cannot be decoded. */
    private boolean keep(ByteBuf payload) {
        if (!Capabilities.has(state.capabilities(), Capabilities.CLIENT_QUERY_ATTRIBUTES)) {
            copy.keep(payload);
            return true;
        }
        ExecuteParameters attributes = state.parts().parameters();
        try {
            int textAt = attributes.decodeQuery(payload, state.capabilities());
            copy.keep(payload, textAt, attributes.attributeCount() > 0);
            return true;
        } catch (ProtocolException malformed) {
            copy.keep(payload);
            return false;
        }
    }
}
