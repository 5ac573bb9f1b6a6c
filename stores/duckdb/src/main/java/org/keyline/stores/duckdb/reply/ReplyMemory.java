package org.keyline.stores.duckdb.reply;

import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.memory.MemoryBudget.Level;

/** What replies hold before the connection has them, on the account of its client. Thread-safe. */
public final class ReplyMemory {
    /** A value is copied out of DuckDB, into the client's character set, and into the reply. */
    private static final int COPIES = 3;

    private final MemoryAccount account;

    public ReplyMemory(MemoryAccount account) {
        this.account = account;
    }

    /**
     * Takes what it needs to copy so many bytes.
     *
     * @return what was taken
     * @throws StatementRefusedException 1038 or 1226 where there is no room; then nothing is taken
     */
    public long takeCopies(long bytes) {
        Level full = account.take(COPIES * bytes);
        if (full != null) {
            ErrPacket error = account.refusal(full);
            throw new StatementRefusedException(error.code(), error.sqlState(), error.message());
        }
        return COPIES * bytes;
    }

    /** Gives back. */
    public void give(long taken) {
        if (taken > 0) {
            account.give(taken);
        }
    }
}
