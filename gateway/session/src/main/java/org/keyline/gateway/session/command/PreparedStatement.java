package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.LiteralValues;
import org.keyline.gateway.session.local.LocalStatement;
import org.keyline.gateway.session.settings.CharacterSets;
import org.keyline.gateway.session.settings.CurrentCatalog;
import org.keyline.gateway.session.settings.SessionSettings;
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

    /**
     * What the text of a PREPARE determines.
     *
     * @param bytes the memory that is charged to the connection
     * @param slots for each literal or placeholder its parameter's index; negative for a literal
     * @param staleness the maximum age of rows that the text itself declares; null if it declares
     * none
     * @param version the catalog's version at the PREPARE
     * @param doubtful whether the meaning of the text is unknown
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Prepared(
            int id,
            long bytes,
            byte[] sql,
            PlannedStatement planned,
            LiteralValues literals,
            int[] slots,
            @Nullable Staleness staleness,
            long version,
            boolean doubtful) {}

    /**
     * The settings with which a statement was prepared.
     *
     * @param schema the schema to which unqualified names refer
     * @param modeText the {@code sql_mode}; null if unknown
     * @param characterSets the character sets of literals
     */
    record Meaning(
            @Nullable String schema,
            CurrentCatalog.Moment catalog,
            SqlMode mode,
            @Nullable String modeText,
            CharacterSets characterSets) {
        static Meaning of(SessionSettings settings) {
            return new Meaning(
                    settings.schema(),
                    settings.catalog().now(),
                    settings.variables().sqlMode(),
                    settings.variables().sqlModeText(),
                    settings.variables().characterSets());
        }
    }

    final Prepared prepared;
    final Meaning meaning;
    final int id;
    final byte[] sql;
    final @Nullable String schema;
    final CurrentCatalog.Moment catalog;
    final StatementParameters parameters;
    /** The statement if the gateway itself answers it; null for all other statements. */
    final @Nullable LocalStatement local;

    final @Nullable Staleness staleness;

    final LiteralValues literals;
    final int[] slots;

    /** Whether the store reads all values of a parameter by the type that was sent first. */
    private final boolean retainsTypes;

    PlannedStatement planned;
    long plannedVersion;

    /** The types of the parameters, two bytes each; empty if no types were sent. */
    byte[] types = {};

    /** The session's character sets when {@link #types} were sent. */
    private CharacterSets typedIn;

    /** Whether the store's handle has {@link #types}; also true if no types were sent. */
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
     * there was no such execution, or if the store does not bind names when it executes.
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
     * For each parameter, whether clients sent types whose values compare differently ({@link
     * ExecuteLayout#alike}). A store that retains the first type may read such a parameter
     * differently than the gateway. Null if there is no such parameter, or if the store does not
     * retain types.
     */
    boolean @Nullable [] retyped;

    private byte[] spareTypes = {};

    PreparedStatement(
            Prepared prepared,
            Meaning meaning,
            StatementParameters parameters,
            @Nullable LocalStatement local,
            boolean retainsTypes) {
        this.prepared = prepared;
        this.meaning = meaning;
        this.parameters = parameters;
        this.local = local;
        this.retainsTypes = retainsTypes;
        id = prepared.id();
        sql = prepared.sql();
        schema = meaning.schema();
        catalog = meaning.catalog();
        typedIn = meaning.characterSets();
        staleness = prepared.staleness();
        literals = prepared.literals();
        slots = prepared.slots();
        planned = prepared.planned();
        plannedVersion = prepared.doubtful() ? UNREAD : prepared.version();
    }

    /** Returns another handle of the same statement, which the store has not prepared yet. */
    PreparedStatement twin() {
        PreparedStatement twin = new PreparedStatement(prepared, meaning, parameters, local, retainsTypes);
        twin.planned = planned;
        twin.plannedVersion = plannedVersion;
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

    /** Returns whether the text must not be planned again, because its meaning is unknown. */
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
     * Returns whether the gateway reads the values of a command without types as the store does. It
     * must know the store's types, and texts need the same character sets.
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

    /** Records that a parameter's new type compares differently than its last type. */
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
