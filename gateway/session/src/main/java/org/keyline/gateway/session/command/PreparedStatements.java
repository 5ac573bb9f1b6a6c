package org.keyline.gateway.session.command;

import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.PointReader;
import org.keyline.gateway.session.state.StatementQuota;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.memory.MemoryAccount;

/** A client's prepared statements, by id. Bounded; confined to one event loop. */
public final class PreparedStatements {
    /** The id by which MariaDB's clients refer to the statement that was prepared last. */
    static final int LAST_PREPARED = -1;

    /** Maximum number of handles at the store. A new one replaces the least recently used one. */
    static final int MAX_HANDLES = 1_024;

    private static final int STATEMENT_BYTES = 1024;
    private static final int SLOT_BYTES = 40;
    private static final long NO_PLACE = -1;

    private final StatementQuota quota;
    private final MemoryAccount memory;
    private final IntObjectHashMap<PreparedStatement> statements = new IntObjectHashMap<>();
    /** The statements with handles at the store, least recently used first. */
    private final Map<PreparedStatement, Boolean> handles = new LinkedHashMap<>(16, 0.75f, true);

    private int lastId;
    private @Nullable PreparedStatement lastPrepared;
    /** The bytes of the reserved place; {@link #NO_PLACE} if no place is reserved. */
    private long reserved = NO_PLACE;

    /**
     * @param quota limits the statements of this session and of all sessions
     * @param memory accounts for the size of the statements
     */
    public PreparedStatements(StatementQuota quota, MemoryAccount memory) {
        this.quota = quota;
        this.memory = memory;
    }

    /**
     * Reserves a place for the next {@link #put}. Returns the error for the client if no place is
     * left; null if the place is reserved. If no statement uses the place, because the PREPARE was
     * refused or its store session was lost, the next call or {@link #clear} releases it.
     */
    @Nullable
    ErrPacket reserve() {
        release();
        int max = quota.perSession();
        boolean full = statements.size() >= max;
        if (!full && quota.take()) {
            reserved = 0;
            lastPrepared = null;
            return null;
        }
        return ErrPacket.of(
                ErrorCode.ER_MAX_PREPARED_STMT_COUNT_REACHED,
                "Can't create more than max_prepared_stmt_count statements (current value: "
                        + (full ? max : quota.max()) + ")");
    }

    /** Returns how many bytes a statement uses for its text, its plan and its slots. */
    static long bytes(int textBytes, int slots) {
        return STATEMENT_BYTES + 3L * textBytes + (long) SLOT_BYTES * slots;
    }

    /**
     * Reserves memory after {@link #reserve}. If the memory is exhausted, gives the reserved place
     * back and returns the error for the client. If not, returns null.
     */
    @Nullable
    ErrPacket take(long bytes) {
        if (memory.take(bytes) == null) {
            reserved = bytes;
            return null;
        }
        release();
        return ErrPacket.of(
                ErrorCode.ER_MAX_PREPARED_STMT_COUNT_REACHED,
                "Can't create more than max_prepared_stmt_count statements (no memory for another one of " + bytes
                        + " bytes)");
    }

    /** Takes memory for the rows of a cursor. Returns false if the budget is exhausted. */
    boolean takeCursor(PreparedStatement statement) {
        if (!statement.cursorCounted) {
            statement.cursorCounted = memory.take(PointReader.maxFetchedBytes()) == null;
        }
        return statement.cursorCounted;
    }

    /** Removes the rows that the client has not fetched, and releases their memory. */
    void endCursor(PreparedStatement statement) {
        statement.cursor = null;
        if (statement.cursorCounted) {
            statement.cursorCounted = false;
            memory.give(PointReader.maxFetchedBytes());
        }
    }

    /** Releases the reserved place, if any, and its memory. */
    void release() {
        if (reserved != NO_PLACE) {
            giveBack(reserved);
            reserved = NO_PLACE;
        }
    }

    /** Releases the place and the memory of a statement. */
    private void giveBack(long bytes) {
        quota.give(1);
        memory.give(bytes);
    }

    int nextId() {
        do {
            lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
        } while (statements.containsKey(lastId));
        return lastId;
    }

    void put(PreparedStatement statement) {
        statements.put(statement.id, statement);
        reserved = NO_PLACE;
        lastPrepared = statement;
    }

    /** Returns the statement with the id that a client sent; null if no statement has this id. */
    @Nullable
    PreparedStatement find(int id) {
        return id == LAST_PREPARED ? lastPrepared : statements.get(id);
    }

    /** Removes and returns the statement with this id; null if no statement has this id. */
    @Nullable
    PreparedStatement remove(int id) {
        PreparedStatement last = lastPrepared;
        PreparedStatement statement = statements.remove(id == LAST_PREPARED && last != null ? last.id : id);
        if (statement == null) {
            return null;
        }
        if (statement.equals(last)) {
            lastPrepared = null;
        }
        handles.remove(statement);
        endCursor(statement);
        giveBack(statement.prepared.bytes());
        return statement;
    }

    /** Returns the statements that the store has not prepared, or that only lines have executed. */
    List<PreparedStatement> notAtStore() {
        return statements.values().stream()
                .filter(statement -> statement.local == null
                        && (statement.storeId == PreparedStatement.NOT_AT_STORE
                                || (statement.ranHere != null && !statement.ranAtStore)))
                .toList();
    }

    /** Returns whether the store has a handle of any of the statements, or long data for any. */
    public boolean areAtStore(CommandCopy copy) {
        PreparedStatement answered = copy.answeredStatement();
        return (answered != null && answered.isAtStore())
                || statements.values().stream().anyMatch(PreparedStatement::isAtStore);
    }

    boolean holds(PreparedStatement statement) {
        return statements.get(statement.id) == statement;
    }

    /** Called when the store session is new or was reset. */
    public void clear() {
        release();
        for (PreparedStatement statement : statements.values()) {
            endCursor(statement);
            giveBack(statement.prepared.bytes());
        }
        statements.clear();
        handles.clear();
        lastPrepared = null;
    }

    void usedAtStore(PreparedStatement statement) {
        handles.put(statement, true);
    }

    boolean isCrowded() {
        return handles.size() >= MAX_HANDLES;
    }

    /**
     * Removes and returns the statements whose handles must be closed before the next PREPARE.
     *
     * @param mayClose returns whether the store can prepare a statement again
     */
    List<PreparedStatement> surplus(Predicate<PreparedStatement> mayClose) {
        int over = handles.size() - MAX_HANDLES;
        if (over < 0) {
            return List.of();
        }
        List<PreparedStatement> surplus = new ArrayList<>();
        for (PreparedStatement statement : handles.keySet()) {
            if (surplus.size() > over) {
                break;
            }
            if (!statement.isAtStore() || mayClose.test(statement)) {
                surplus.add(statement);
            }
        }
        surplus.forEach(handles::remove);
        surplus.removeIf(statement -> !statement.isAtStore());
        return surplus;
    }
}
