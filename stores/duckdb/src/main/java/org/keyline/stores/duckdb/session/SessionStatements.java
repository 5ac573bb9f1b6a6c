package org.keyline.stores.duckdb.session;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.translate.Tokens;

/** The prepared statements of one session. Used by one thread at a time. */
final class SessionStatements {
    private static final int STATEMENT_BYTES = 512;

    private final DuckDbState session;
    private final IntObjectMap<Prepared> statements = new IntObjectHashMap<>();
    private int lastId;

    SessionStatements(DuckDbState session) {
        this.session = session;
    }

    /** Adds a statement. Throws error 1461 if all sessions together have too many. */
    Prepared add(Tokens words, int placeholders) {
        MemoryAccount memory = session.identity().memory();
        long bytes = bytes(words.bytes());
        if (memory.take(bytes) != null) {
            throw Errors.error(
                    1461,
                    "42000",
                    "Can't create more than max_prepared_stmt_count statements (no memory for another one of " + bytes
                            + " bytes)");
        }
        var total = session.services().prepared();
        int limit = session.services().options().preparedStatements().getAsInt();
        if (total.incrementAndGet() > limit) {
            total.decrementAndGet();
            memory.give(bytes);
            throw Errors.error(
                    1461,
                    "42000",
                    "Can't create more than max_prepared_stmt_count statements (current value: " + limit + ")");
        }
        int maxBytes = (int) Math.min(Integer.MAX_VALUE, session.variables().number("max_allowed_packet"));
        Prepared prepared =
                new Prepared(++lastId, words, session.database(), new StatementParameters(placeholders, maxBytes));
        statements.put(prepared.id, prepared);
        return prepared;
    }

    private static long bytes(byte[] sql) {
        return (long) STATEMENT_BYTES + sql.length;
    }

    @Nullable
    Prepared find(int id) {
        return statements.get(id);
    }

    Prepared require(int id, String command) {
        Prepared prepared = statements.get(id);
        if (prepared == null) {
            throw Errors.error(
                    1243,
                    "HY000",
                    "Unknown prepared statement handler (" + Integer.toUnsignedString(id) + ") given to " + command);
        }
        return prepared;
    }

    void sendLongData(int id, int parameter, ByteBuf data) {
        Prepared prepared = statements.get(id);
        if (prepared == null) {
            return;
        }
        // Three times the data, because the full array of values doubles, and binding copies it.
        long bytes = 3L * data.readableBytes();
        if (session.identity().memory().take(bytes) == null) {
            prepared.longDataBytes += bytes;
            prepared.parameters.appendLongData(parameter, data);
        } else {
            prepared.parameters.refuseLongData();
        }
    }

    /**
     * Releases the memory of values that COM_STMT_SEND_LONG_DATA sent. Call after the execution or
     * reset of their statement.
     */
    void longDataGone(Prepared prepared) {
        session.identity().memory().give(prepared.longDataBytes);
        prepared.longDataBytes = 0;
    }

    void close(int id) {
        Prepared prepared = statements.remove(id);
        if (prepared != null) {
            longDataGone(prepared);
            session.identity().memory().give(bytes(prepared.sql()));
            session.services().prepared().decrementAndGet();
        }
    }

    void closeAll() {
        for (Prepared prepared : List.copyOf(statements.values())) {
            close(prepared.id);
        }
    }
}
