package org.keyline.stores.duckdb.reply;

import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.memory.MemoryBudget.Level;

/**
 * Accounts for the memory of replies that have not been passed to the connection yet. This memory
 * counts towards the client's memory. Thread-safe.
 */
public final class ReplyMemory {
    /**
     * The number of copies of a value that exist at once: one from DuckDB, one in the client's
     * character set, and one in the reply.
     */
    private static final int COPIES = 3;

    private final MemoryAccount account;

    public ReplyMemory(MemoryAccount account) {
        this.account = account;
    }

    /**
     * Takes the memory for all copies of a value with this many bytes.
     *
     * @return the number of bytes taken, for {@link #give}
     * @throws StatementRefusedException 1038 or 1226 if a memory limit would be exceeded; then no
     *     memory is taken
     */
    public long takeCopies(long bytes) {
        take(account, COPIES * bytes);
        return COPIES * bytes;
    }

    /** Takes memory. Throws error 1038 or 1226 if a memory limit would be exceeded. */
    public static void take(MemoryAccount account, long bytes) {
        Level full = account.take(bytes);
        if (full != null) {
            ErrPacket error = account.refusal(full);
            throw new StatementRefusedException(error.code(), error.sqlState(), error.message());
        }
    }

    public void give(long taken) {
        if (taken > 0) {
            account.give(taken);
        }
    }
}
