package org.keyline.stores.duckdb.load;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.memory.MemoryBudget.Level;

/**
 * Buffers the pieces of a file that the client has sent and the worker has not loaded yet. The
 * pieces count towards the client's memory. The client must wait while the inbox is full, and the
 * worker while it is empty. Thread-safe.
 */
public final class FileInbox {
    private static final long FULL_BYTES = 256 << 10;

    private final MemoryAccount memory;
    private final Deque<byte[]> pieces = new ArrayDeque<>();
    private long bytes;
    private boolean ended;
    private boolean discards;

    @Nullable
    private StatementRefusedException refusal;

    private boolean woken;

    @Nullable
    private Runnable waitsForRoom;

    public FileInbox(MemoryAccount memory) {
        this.memory = memory;
    }

    /** Adds the next piece. If it exceeds the client's memory, {@link #take} throws the error. */
    public synchronized void offer(byte[] piece) {
        Level full = discards ? null : memory.take(piece.length);
        if (full != null) {
            ErrPacket error = memory.refusal(full);
            refusal = new StatementRefusedException(error.code(), error.sqlState(), error.message());
        } else if (!discards) {
            pieces.add(piece);
            bytes += piece.length;
        }
        notifyAll();
    }

    /** Marks the end of the file, which comes early if the connection to the client is lost. */
    public synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Ends the current or the next wait, for example because the statement was interrupted. */
    public synchronized void wake() {
        woken = true;
        notifyAll();
    }

    /**
     * Waits for the next piece. Returns it, or an empty piece after {@link #wake}, or an empty
     * Optional at the end of the file.
     *
     * @throws StatementRefusedException if a piece exceeded the client's memory; the caller must
     *     then call {@link #discard}
     */
    public Optional<byte[]> take() throws InterruptedException {
        @Nullable Runnable room = null;
        byte @Nullable [] piece;
        synchronized (this) {
            while (pieces.isEmpty() && !ended && !woken && refusal == null) {
                wait();
            }
            if (refusal != null) {
                throw refusal;
            }
            piece = pieces.poll();
            if (piece != null) {
                bytes -= piece.length;
                memory.give(piece.length);
            } else if (!ended) {
                piece = new byte[0];
            }
            woken = false;
            if (!isFull()) {
                room = waitsForRoom;
                waitsForRoom = null;
            }
        }
        if (room != null) {
            room.run();
        }
        return Optional.ofNullable(piece);
    }

    public synchronized boolean isFull() {
        return bytes >= FULL_BYTES;
    }

    /** Runs a task once: now if the inbox has room, otherwise as soon as it has room. */
    public void onRoom(Runnable task) {
        synchronized (this) {
            if (isFull()) {
                waitsForRoom = task;
                return;
            }
        }
        task.run();
    }

    /** Waits for the end of a discarded file. Returns false if the session closes before. */
    public boolean skipRest(BooleanSupplier closed) throws InterruptedException {
        boolean ends = false;
        while (!ends && !closed.getAsBoolean()) {
            ends = take().isEmpty();
        }
        return ends;
    }

    /** Drops all buffered pieces, and each piece that arrives later. */
    public void discard() {
        Runnable room;
        synchronized (this) {
            discards = true;
            refusal = null;
            pieces.clear();
            memory.give(bytes);
            bytes = 0;
            room = waitsForRoom;
            waitsForRoom = null;
        }
        if (room != null) {
            room.run();
        }
    }
}
