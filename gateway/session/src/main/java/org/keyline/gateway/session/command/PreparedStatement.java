package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.LiteralValues;
import org.keyline.gateway.session.local.LocalStatement;
import org.keyline.gateway.session.settings.CharacterSets;
import org.keyline.gateway.session.settings.CurrentCatalog;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.gateway.session.settings.Staleness;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.SqlMode;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.codec.StatementParameters;

/** A client's prepared statement. Confined to one event loop. */
final class PreparedStatement {
    /** The id of a statement that the store has not prepared. */
    static final int NOT_AT_STORE = 0;
    /** A {@link #storeVersion} that is never current, so that the statement is prepared again. */
    static final long OUTDATED = -1;

    /** The {@link #plannedVersion} of a PREPARE under an unknown schema or sql_mode. */
    static final long UNREAD = -2;

    /** Stands for a text of 16 MiB or more, which is neither planned nor prepared again. */
    static final byte[] TOO_LONG = {};

    final int id;
    /** The memory that is charged to the connection, in bytes. */
    final long bytes;

    final byte[] sql;
    /** The schema of unqualified names when the statement was prepared. */
    final @Nullable String schema;

    /** The session's catalog when the statement was prepared. */
    final CurrentCatalog.Moment catalog;

    final SqlMode mode;
    /** The {@code sql_mode} when the statement was prepared; null if unknown. */
    final @Nullable String modeText;

    /** The character sets of literals when the statement was prepared. */
    final CharacterSets characterSets;

    final StatementParameters parameters;
    /** The statement if the gateway itself answers it; null for all other statements. */
    final @Nullable LocalStatement local;

    /** The maximum age of rows that the statement's own text declares; null if it declares none. */
    final @Nullable Staleness staleness;

    final LiteralValues literals;
    /** The parameter of each slot, or {@link org.keyline.gateway.key.ParameterValues#LITERAL}. */
    final int[] slots;

    /** Whether the store reads all values of a parameter by the type that was sent first. */
    private final boolean retainsTypes;

    PlannedStatement planned;
    long plannedVersion;

    /** The types of the parameters, two bytes each; empty if no types were sent. */
    byte[] types = {};

    /** The session's character sets when {@link #types} were sent. */
    private CharacterSets typedIn;

    /** Whether the store has {@link #types} under {@link #typedIn}; true without types. */
    boolean typesAtStore = true;

    /** Whether the store has types of a bulk execution instead of {@link #types}. */
    boolean typesUnseen;

    int storeId = NOT_AT_STORE;

    long storeVersion;
    /** Whether the client has sent long data for the next execution. */
    boolean longData;

    /** Whether the store may have long data, possibly of an execution that it never received. */
    boolean longDataAtStore;

    /** Whether the gateway has closed the store's handle to make room. */
    boolean closedForRoom;

    /** Whether the store has a cursor of the last execution. */
    boolean cursorAtStore;

    /** Whether the store has executed the statement, and so bound its names to tables. */
    boolean ranAtStore;

    /**
     * The first execution that lines answered before the store executed the statement. Null if
     * there was none, or if the store does not bind names at an execution.
     */
    byte @Nullable [] ranHere;

    /**
     * The error for the next execution if long data could not be sent to the store; null if none.
     */
    @Nullable
    ErrPacket longDataRefused;

    /** Unfetched rows of the last execution, if lines answered it; null if the store has them. */
    @Nullable
    FetchedRows cursor;

    /** Whether memory is reserved for {@link #cursor}. */
    boolean cursorCounted;

    /**
     * Parameters that were sent with types of several classes. A store that retains the first type
     * may read such a value differently. Null if there is no such parameter, or if the store does
     * not retain types.
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
            CharacterSets characterSets,
            StatementParameters parameters,
            @Nullable LocalStatement local,
            @Nullable Staleness staleness,
            LiteralValues literals,
            int[] slots,
            boolean retainsTypes,
            PlannedStatement planned,
            long plannedVersion) {
        this.id = id;
        this.bytes = bytes;
        this.sql = sql;
        this.schema = schema;
        this.catalog = catalog;
        this.mode = mode;
        this.modeText = modeText;
        this.characterSets = characterSets;
        typedIn = characterSets;
        this.parameters = parameters;
        this.local = local;
        this.staleness = staleness;
        this.literals = literals;
        this.slots = slots;
        this.retainsTypes = retainsTypes;
        this.planned = planned;
        this.plannedVersion = plannedVersion;
    }

    /** Returns another handle of the same statement, which the store has not prepared yet. */
    PreparedStatement twin() {
        PreparedStatement twin = new PreparedStatement(
                id,
                bytes,
                sql,
                schema,
                catalog,
                mode,
                modeText,
                characterSets,
                parameters,
                local,
                staleness,
                literals,
                slots,
                retainsTypes,
                planned,
                plannedVersion);
        twin.types = types.clone();
        twin.typedIn = typedIn;
        twin.typesAtStore = types.length == 0;
        return twin;
    }

    SqlStatement text(StatementKind kind) {
        return SqlStatement.of(kind, sql);
    }

    boolean isTooLong() {
        return sql == TOO_LONG;
    }

    /** Returns whether the meaning of the text is unknown, so it must not be planned again. */
    boolean planStays() {
        return isTooLong() || plannedVersion == UNREAD;
    }

    /** Returns whether a COM_STMT_EXECUTE without names has the types of all parameters. */
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
     * Copies the types of a COM_STMT_EXECUTE, if it has any.
     *
     * @param named whether the connection negotiated query attributes
     * @param sets the session's character sets
     * @return whether the command is complete: the statement has no parameters, or the command has
     * their types
     */
    boolean rememberTypes(ByteBuf payload, boolean named, CharacterSets sets) {
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
            typedIn = sets;
            typesUnseen = false;
            typesAtStore = false;
            if (retainsTypes && before.length > 0 && !Arrays.equals(before, sent)) {
                compareTypes(before, sent);
            }
        }
        return typed;
    }

    /**
     * Returns whether the gateway reads values without types as the store does: by the same types,
     * and texts in the character sets in which the types were sent.
     */
    boolean isTypedIn(CharacterSets sets) {
        return !typesUnseen && (!hasTexts() || sets.convertsAs(typedIn));
    }

    private boolean hasTexts() {
        for (int at = 0; at < types.length; at += 2) {
            int length = ColumnType.binaryLength(types[at] & 0xFF);
            if (length == ColumnType.LENGTH_ENCODED || length == ColumnType.UNKNOWN) {
                return true;
            }
        }
        return false;
    }

    private void compareTypes(byte[] before, byte[] sent) {
        for (int i = 0; i < parameters.count(); i++) {
            if (!ExecuteLayout.alike(before, sent, 2 * i)) {
                retyped(i);
            }
        }
    }

    /** Records that a parameter's type has another class than before. */
    void retyped(int parameter) {
        boolean[] marks = retyped;
        if (retainsTypes && parameter < parameters.count()) {
            if (marks == null) {
                marks = new boolean[parameters.count()];
                retyped = marks;
            }
            marks[parameter] = true;
        }
    }

    /** Returns whether the store has a handle of the statement, or long data for it. */
    boolean isAtStore() {
        return storeId != NOT_AT_STORE || longData;
    }

    /** Records the reply to an execution at the store. */
    void executed(ReplyScanner done) {
        ErrPacket error = done.summary().error();
        longDataAtStore = false;
        ranAtStore |= error == null;
        cursorAtStore = (done.summary().status() & ServerStatus.SERVER_STATUS_CURSOR_EXISTS) != 0;
        if (error != null && error.code() == ErrorCode.ER_NEED_REPREPARE.number()) {
            storeVersion = OUTDATED;
        }
    }
}
