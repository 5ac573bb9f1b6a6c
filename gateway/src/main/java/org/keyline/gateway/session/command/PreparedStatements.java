package org.keyline.gateway.session.command;

import io.netty.util.collection.IntObjectHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.PointReader;
import org.keyline.gateway.session.state.StatementQuota;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.memory.MemoryAccount;

/** The statements that one client has prepared, by the ids that it was told. Bounded; confined to one event loop. */
public final class PreparedStatements {
    /** What MariaDB's clients send in place of an id that they have not heard of yet. */
    static final int LAST_PREPARED = -1;

    private static final int STATEMENT_BYTES = 1024;
    private static final int SLOT_BYTES = 40;

    private final StatementQuota quota;
    private final MemoryAccount memory;
    private final IntObjectHashMap<PreparedStatement> statements = new IntObjectHashMap<>();
    private int lastId;
    private @Nullable PreparedStatement lastPrepared;

    /** @param quota bounds those of this session and those of all, {@code memory} what they take */
    public PreparedStatements(StatementQuota quota, MemoryAccount memory) {
        this.quota = quota;
        this.memory = memory;
    }

    /** Takes room for one more, to be filled by {@link #put} or given back; the answer is null, or what the client is told. */
    @Nullable
    ErrPacket reserve() {
        int max = quota.perSession();
        boolean full = statements.size() >= max;
        if (!full && quota.take()) {
            lastPrepared = null;
            return null;
        }
        return ErrPacket.of(
                ErrorCode.ER_MAX_PREPARED_STMT_COUNT_REACHED,
                "Can't create more than max_prepared_stmt_count statements (current value: "
                        + (full ? max : quota.max()) + ")");
    }

    /** What a statement takes: text, plan, and for each slot what is known of it and of the value bound to it. */
    static long bytes(int textBytes, int slots) {
        return STATEMENT_BYTES + 3L * textBytes + (long) SLOT_BYTES * slots;
    }

    /** Takes memory for a statement that has room; the answer is null, or what the client is told: then the room is given back. */
    @Nullable
    ErrPacket take(long bytes) {
        if (memory.take(bytes) == null) {
            return null;
        }
        quota.give(1);
        return ErrPacket.of(
                ErrorCode.ER_MAX_PREPARED_STMT_COUNT_REACHED,
                "Can't create more than max_prepared_stmt_count statements (no memory for another one of " + bytes
                        + " bytes)");
    }

    /** Takes memory for rows to be fetched; false if there is none. */
    boolean takeCursor(PreparedStatement statement) {
        if (!statement.cursorCounted) {
            statement.cursorCounted = memory.take(PointReader.maxFetchedBytes()) == null;
        }
        return statement.cursorCounted;
    }

    /** Forgets rows that were not fetched. */
    void endCursor(PreparedStatement statement) {
        statement.cursor = null;
        if (statement.cursorCounted) {
            statement.cursorCounted = false;
            memory.give(PointReader.maxFetchedBytes());
        }
    }

    /** Gives back the room, and the memory, for a statement that did not come to be. */
    void giveBack(long bytes) {
        quota.give(1);
        memory.give(bytes);
    }

    /** An id that no statement has. */
    int nextId() {
        do {
            lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
        } while (statements.containsKey(lastId));
        return lastId;
    }

    /** Keeps a statement, for which room was reserved. */
    void put(PreparedStatement statement) {
        statements.put(statement.id, statement);
        lastPrepared = statement;
    }

    /** The statement that a client means by an id; null if there is none. */
    @Nullable
    PreparedStatement find(int id) {
        return id == LAST_PREPARED ? lastPrepared : statements.get(id);
    }

    /** Forgets a statement; null if there is none by that id. */
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
        endCursor(statement);
        giveBack(statement.bytes);
        return statement;
    }

    /** Returns the statements that only the gateway has prepared, or executed. */
    List<PreparedStatement> notThere() {
        return statements.values().stream()
                .filter(statement -> statement.local == null
                        && (statement.storeId == PreparedStatement.NOT_THERE
                                || (statement.ranHere != null && !statement.ranThere)))
                .toList();
    }

    /** Returns whether the store has a handle of one of the statements, or a value for one. */
    public boolean areThere(KeptCommand kept) {
        PreparedStatement answered = kept.answeredStatement();
        return (answered != null && answered.isThere())
                || statements.values().stream().anyMatch(PreparedStatement::isThere);
    }

    /** Whether the client still holds the statement. */
    boolean holds(PreparedStatement statement) {
        return statements.get(statement.id) == statement;
    }

    /** Forgets all: the store session is new, or was reset. */
    public void clear() {
        for (PreparedStatement statement : statements.values()) {
            endCursor(statement);
            giveBack(statement.bytes);
        }
        statements.clear();
        lastPrepared = null;
    }
}
