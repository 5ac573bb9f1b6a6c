package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.LiteralValues;
import org.keyline.gateway.session.local.LocalStatement;
import org.keyline.gateway.session.settings.CurrentCatalog;
import org.keyline.gateway.session.settings.Staleness;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.digest.SqlMode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.codec.StatementParameters;

/** One statement that a client prepared, by the id it was told. Confined to one event loop. */
final class PreparedStatement {
    /** No id at the store. */
    static final int NOT_THERE = 0;
    /** A version that no catalog has. */
    static final long OUTDATED = -1;

    /** In place of the catalog's version: it was prepared in a schema or under an sql_mode that is not known. */
    static final long UNREAD = -2;

    /** In place of a text of 16 MiB or more: it is not kept, cannot be planned, and cannot be prepared anew. */
    static final byte[] TOO_LONG = {};

    final int id;
    /** What it takes on its connection's account. */
    final long bytes;
    /** The text, or {@link #TOO_LONG}. */
    final byte[] sql;
    /** The current schema when it was prepared: unqualified names mean tables in it. */
    final @Nullable String schema;

    /** What was known of the current catalog then. */
    final CurrentCatalog.Moment catalog;

    final SqlMode mode;
    /** The value of {@code sql_mode} then; null if it is not known. */
    final @Nullable String modeText;

    final StatementParameters parameters;
    /** Answered by the gateway; null for all others. */
    final @Nullable LocalStatement local;

    /** How old its rows may be, by its own text; null if that says nothing. */
    final @Nullable Staleness staleness;

    /** The literals of its text. */
    final LiteralValues literals;
    /** For each slot of its text the parameter bound to it, or that it is a literal. */
    final int[] slots;

    /** Whether the store goes on reading parameters by the types that they first had. */
    private final boolean keepsTypes;

    PlannedStatement planned;
    long plannedVersion;

    /** Two bytes per parameter, as the client last sent them; empty as long as it has not. */
    byte[] types = {};

    /** The statement's id at the store session, or {@link #NOT_THERE}. */
    int storeId = NOT_THERE;

    long storeVersion;
    /** Whether values came ahead, to the store, for the next execution. */
    boolean longData;

    /** Whether the store has executed it, so that it keeps the tables that names meant then. */
    boolean ranThere;

    /** An execution that a line answered while the store had none; null where there was none, or the store keeps no tables by it. */
    byte @Nullable [] ranHere;

    /** Why the store did not get them, which that execution is told; null if it did. */
    @Nullable
    ErrPacket longDataRefused;

    /** What the last execution left to be fetched, if it was answered here; null where the store has to say. */
    @Nullable
    FetchedRows cursor;

    /** Whether memory is taken for that. */
    boolean cursorCounted;

    /**
     * Which parameters have come in more than one class of types, so that a store that keeps the first may read one otherwise than it looks; null
     * where none has, or the store keeps none.
     */
    boolean @Nullable [] retyped;

    private byte[] spareTypes = {};

    PreparedStatement(
            int id,
            long bytes,
            byte[] sql,
            @Nullable String schema,
            CurrentCatalog.Moment catalog,
            SqlMode mode,
            @Nullable String modeText,
            StatementParameters parameters,
            @Nullable LocalStatement local,
            @Nullable Staleness staleness,
            LiteralValues literals,
            int[] slots,
            boolean keepsTypes,
            PlannedStatement planned,
            long plannedVersion) {
        this.id = id;
        this.bytes = bytes;
        this.sql = sql;
        this.schema = schema;
        this.catalog = catalog;
        this.mode = mode;
        this.modeText = modeText;
        this.parameters = parameters;
        this.local = local;
        this.staleness = staleness;
        this.literals = literals;
        this.slots = slots;
        this.keepsTypes = keepsTypes;
        this.planned = planned;
        this.plannedVersion = plannedVersion;
    }

    /** The same statement, which the store is yet to prepare, by a handle of its own. */
    PreparedStatement twin() {
        PreparedStatement twin = new PreparedStatement(
                id,
                bytes,
                sql,
                schema,
                catalog,
                mode,
                modeText,
                parameters,
                local,
                staleness,
                literals,
                slots,
                keepsTypes,
                planned,
                plannedVersion);
        twin.types = types.clone();
        return twin;
    }

    boolean isTooLong() {
        return sql == TOO_LONG;
    }

    /** Whether its plan is not to be made anew, since what its text means is not known. */
    boolean planStays() {
        return isTooLong() || plannedVersion == UNREAD;
    }

    /** Whether a COM_STMT_EXECUTE without names has the types of all parameters, if there are any. */
    boolean typesIn(ByteBuf payload) {
        int count = parameters.count();
        if (count == 0) {
            return true;
        }
        int boundAt = ExecuteLayout.boundAt(payload, count, false);
        return payload.readableBytes() >= boundAt + 1 + 2 * count
                && payload.getByte(payload.readerIndex() + boundAt) == 1;
    }

    /**
     * Keeps the types that a COM_STMT_EXECUTE has, if it has any.
     *
     * @param named whether the connection agreed on query attributes
     * @return whether the command is complete: the statement has no parameters, or their types are sent
     */
    boolean rememberTypes(ByteBuf payload, boolean named) {
        int count = parameters.count();
        if (count == 0) {
            return true;
        }
        int boundAt = ExecuteLayout.boundAt(payload, count, named);
        boolean typed = payload.getByte(payload.readerIndex() + boundAt) == 1;
        if (typed) {
            byte[] before = types;
            byte[] sent = spareTypes.length == 0 ? new byte[2 * count] : spareTypes;
            ExecuteLayout.types(payload, boundAt, named, sent);
            types = sent;
            spareTypes = before;
            if (keepsTypes && before.length > 0 && !Arrays.equals(before, sent)) {
                compareTypes(before, sent);
            }
        }
        return typed;
    }

    private void compareTypes(byte[] before, byte[] sent) {
        for (int i = 0; i < parameters.count(); i++) {
            if (!ExecuteLayout.alike(before, sent, 2 * i)) {
                retyped(i);
            }
        }
    }

    /** A value came in another class of types than its type says, or than an earlier one of the same parameter. */
    void retyped(int parameter) {
        boolean[] marks = retyped;
        if (keepsTypes && parameter < parameters.count()) {
            if (marks == null) {
                marks = new boolean[parameters.count()];
                retyped = marks;
            }
            marks[parameter] = true;
        }
    }

    /** Returns whether the store has a handle of the statement, or a value for it. */
    boolean isThere() {
        return storeId != NOT_THERE || longData;
    }

    /** A store that cannot execute what it prepared, since a definition changed, gets it anew with the next execution. */
    void executed(ReplyScanner done) {
        ErrPacket error = done.summary().error();
        ranThere |= error == null;
        if (error != null && error.code() == ErrorCode.ER_NEED_REPREPARE.number()) {
            storeVersion = OUTDATED;
        }
    }
}
