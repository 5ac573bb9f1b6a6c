package org.keyline.stores.duckdb.load;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.memory.MemoryBudget.Level;

/**
 * Buffers the pieces of a file that the client has sent and the worker has not loaded yet. The
 * pieces count towards the client's memory. While the inbox is full, the client must wait. While it
 * is empty, the worker parks its task, so that its thread can run other tasks. Thread-safe.
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

    @Nullable
    private Runnable parked;

    @Nullable
    private Runnable waitsForRoom;

    public FileInbox(MemoryAccount memory) {
        this.memory = memory;
    }

    /** Adds the next piece. If it exceeds the client's memory, {@link #poll} throws the error. */
    public void offer(byte[] piece) {
        synchronized (this) {
            Level full = discards ? null : memory.take(piece.length);
            if (full != null) {
                ErrPacket error = memory.refusal(full);
                refusal = new StatementRefusedException(error.code(), error.sqlState(), error.message());
            } else if (!discards) {
                pieces.add(piece);
                bytes += piece.length;
            }
        }
        wake();
    }

    /** Marks the end of the file, which comes early if the connection to the client is lost. */
    public void end() {
        synchronized (this) {
            ended = true;
        }
        wake();
    }

    /**
     * Returns the next piece; null if none has arrived.
     *
     * @throws StatementRefusedException if a piece exceeded the client's memory; the caller must
     *     then call {@link #discard}
     */
    public byte @Nullable [] poll() {
        byte[] piece;
        Runnable room = null;
        synchronized (this) {
            if (refusal != null) {
                throw refusal;
            }
            piece = pieces.poll();
            if (piece != null) {
                bytes -= piece.length;
                memory.give(piece.length);
            }
            if (bytes < FULL_BYTES) {
                room = waitsForRoom;
                waitsForRoom = null;
            }
        }
        if (room != null) {
            room.run();
        }
        return piece;
    }

    /** Returns whether all pieces were polled and no more will arrive. */
    public synchronized boolean isDone() {
        return ended && pieces.isEmpty();
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

    /**
     * Parks a task until the next piece, the end or an error arrives. Returns false, without
     * parking the task, if a piece, the end or an error is already present.
     */
    public synchronized boolean park(Runnable rest) {
        if (ended || refusal != null || !pieces.isEmpty()) {
            return false;
        }
        parked = rest;
        return true;
    }

    /** Runs the parked task, if any, for example because the statement was interrupted. */
    public void wake() {
        Runnable rest;
        synchronized (this) {
            rest = parked;
            parked = null;
        }
        if (rest != null) {
            rest.run();
        }
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
