package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.LiteralValues;
import org.keyline.gateway.key.ParameterValues;
import org.keyline.gateway.read.ReadScope;
import org.keyline.gateway.session.local.LocalStatement;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.relay.StoreLink;
import org.keyline.gateway.session.settings.Staleness;
import org.keyline.gateway.session.state.KnownShapes;
import org.keyline.gateway.table.ReplyColumns;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.Plan;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SlotKind;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.StoreTrait;

/**
 * Handles COM_STMT_PREPARE. If the store has answered an equal PREPARE of a point read for this
 * user and these settings, the gateway answers. It then prepares the statement at the store only
 * before an execution there. Confined to one event loop.
 */
public final class PrepareCommand extends SessionCommands {
    private final Verification verification;
    private final LocalAnswers locals;

    public PrepareCommand(SessionCommands shared, Verification verification, LocalAnswers locals) {
        super(shared);
        this.verification = verification;
        this.locals = locals;
    }

    public void prepare(ByteBuf payload, Reply reply) {
        if (!reserve(false, reply)) {
            return;
        }
        byte[] sql = new byte[payload.readableBytes() - 1];
        payload.getBytes(payload.readerIndex() + 1, sql);
        // While the new definition of a changed table is unknown, only the store knows the columns.
        // This check must come before any lookup, because a lookup may find the old definition.
        boolean changing = state.parts().fencing().tables().cache().isClosed();
        PlannedStatement planned = state.plan(sql, 0, sql.length);
        boolean doubtful = verification.isDoubtful(planned.plan(), sql, 0, sql.length);
        // To make room, the gateway closes handles, but only if it knows the settings with which to
        // prepare the statement again.
        boolean crowded = statements.isCrowded()
                && verification.isNeededToPrepare()
                && !relay.diagnostics().isWrite();
        if (crowded || verification.isNeeded(planned.plan(), false, doubtful)) {
            statements.release();
            copy.keep(payload);
            verification.run(reply);
            return;
        }
        if (doubtful) {
            planned = new PlannedStatement(verification.unread(planned.plan(), sql, 0, sql.length), "", 0);
        }
        long bytes =
                PreparedStatements.bytes(sql.length, state.parts().digester().slots());
        ErrPacket full = statements.take(bytes);
        if (full != null) {
            Forwarding.refuse(full, false, reply);
            return;
        }
        PreparedStatement.Prepared prepared = prepared(sql, bytes, planned, doubtful);
        LocalStatement local = locals.find(planned.plan(), sql, 0, sql.length);
        if (local != null && locals.needsAccount(local)) {
            statements.release();
            copy.keep(payload);
            verification.run(reply);
            return;
        }
        if (local != null) {
            keep(prepared, local.view() == null ? 0 : local.view().parameters(), local);
            locals.prepare(local, prepared.id(), () -> forget(prepared.id()), reply);
            return;
        }
        KnownShapes.Key key =
                planned.plan() instanceof PointRead read && state.settings().readsFollowed()
                        ? state.shape(new String(sql, StandardCharsets.UTF_8), relay.status(), read.table())
                        : null;
        KnownShapes.Shape known =
                key == null || changing ? null : state.context().shapes().find(key);
        if (known != null) {
            keep(prepared, known.parameters(), null);
            relay.diagnostics().clearedHere();
            ByteBuf packets = reply.alloc().buffer(known.packets().length).writeBytes(known.packets());
            packets.setIntLE(packets.readerIndex() + StoreLink.STATEMENT_ID_AT, prepared.id());
            reply.framed(packets);
            reply.end();
            return;
        }
        ByteBuf sent = Unpooled.copiedBuffer(payload);
        relay.forward(Forwarding.command(reply, () -> sent, done -> consented(prepared, key, done))
                .after(storeStatements.room(statements))
                .shownAs(prepared.id()));
    }

    /** Handles a statement over 16 MiB, of which the gateway reads only the first packet. */
    public void prepareLong(Reply reply) {
        if (!reserve(true, reply)) {
            return;
        }
        Forward unread = new Forward(ForwardReason.TOO_LONG, copy.longKind(true), Effect.EVERYTHING, false);
        long bytes = PreparedStatements.bytes(0, 0);
        ErrPacket full = statements.take(bytes);
        if (full != null) {
            Forwarding.refuse(full, true, reply);
            return;
        }
        PreparedStatement.Prepared prepared = new PreparedStatement.Prepared(
                statements.nextId(),
                bytes,
                PreparedStatement.TOO_LONG,
                new PlannedStatement(unread, "", 0),
                new LiteralValues(),
                new int[0],
                null,
                state.context().catalog().version(),
                false);
        relay.forward(Forwarding.command(reply, copy.sent(), done -> consented(prepared, null, done))
                .after(storeStatements.room(statements))
                .shownAs(prepared.id())
                .unfinished());
    }

    /** Reserves room for a statement. If none is left, sends the error and returns false. */
    private boolean reserve(boolean unfinished, Reply reply) {
        ErrPacket full = statements.reserve();
        if (full != null) {
            Forwarding.refuse(full, unfinished, reply);
        }
        return full == null;
    }

    private PreparedStatement.Prepared prepared(byte[] sql, long bytes, PlannedStatement planned, boolean doubtful) {
        Digester digester = state.parts().digester();
        return new PreparedStatement.Prepared(
                statements.nextId(),
                bytes,
                sql,
                planned,
                state.parts()
                        .literals()
                        .of(digester, state.settings().utf8Bytes())
                        .copy(),
                slots(digester),
                Staleness.of(digester),
                state.context().catalog().version(),
                doubtful);
    }

    /** Maps each slot to its parameter's index, and literals to {@link ParameterValues#LITERAL}. */
    private static int[] slots(Digester digester) {
        int[] slots = new int[digester.slots()];
        int parameters = 0;
        for (int slot = 0; slot < slots.length; slot++) {
            slots[slot] = digester.slotKind(slot) == SlotKind.PLACEHOLDER ? parameters++ : ParameterValues.LITERAL;
        }
        return slots;
    }

    private void consented(PreparedStatement.Prepared prepared, KnownShapes.@Nullable Key key, ReplyScanner done) {
        if (done.summary().warnings() > 0 || done.summary().error() != null) {
            // From now on, SHOW WARNINGS shows the warnings of this PREPARE. ROW_COUNT() changes
            // only if the PREPARE failed.
            relay.diagnostics().forwarded();
        }
        if (!done.summary().isPrepared()) {
            statements.release();
            return;
        }
        PreparedStatement statement = keep(prepared, done.summary().parameterCount(), null);
        statement.storeId = done.summary().statementId();
        statement.storeVersion = prepared.version();
        statements.usedAtStore(statement);
        byte[] packets = done.head();
        if (key != null && packets != null && isOfTheSession(prepared.planned().plan(), packets, done.summary())) {
            state.context()
                    .shapes()
                    .learn(key, new KnownShapes.Shape(packets, done.summary().parameterCount()));
        }
    }

    /** Returns whether the reply to a PREPARE has the character set of the session's results. */
    private boolean isOfTheSession(Plan plan, byte[] packets, ReplySummary done) {
        if (!(plan instanceof PointRead read)) {
            return false;
        }
        ReadScope scope = state.scope(true);
        return ReplyColumns.prepared(packets, done.parameterCount(), done.columnCount(), scope.extended())
                .areIn(scope.text(state.context().store().has(StoreTrait.SHOWS_RESULT_CHARACTER_SET)), read);
    }

    private void forget(int id) {
        var unused = statements.remove(id);
    }

    private PreparedStatement keep(
            PreparedStatement.Prepared prepared, int parameters, @Nullable LocalStatement local) {
        PreparedStatement statement = new PreparedStatement(
                prepared,
                PreparedStatement.Meaning.of(state.settings()),
                new StatementParameters(parameters, 0),
                local,
                state.context().store().has(StoreTrait.REUSES_PARAMETER_TYPES));
        statements.put(statement);
        return statement;
    }
}
