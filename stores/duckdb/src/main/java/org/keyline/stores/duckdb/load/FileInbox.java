package org.keyline.stores.duckdb.load;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.memory.MemoryBudget.Level;

/**
 * A file on its way from a client's connection to the worker that loads it, at the cost of the
 * client's memory. Whoever sends too fast is to wait for room; a worker that waits for more leaves
 * its thread. Thread-safe.
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

    /** The next bytes. Where the client's memory has no room for them, {@link #poll} tells so. */
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

    /** The file is complete, or will never be. */
    public void end() {
        synchronized (this) {
            ended = true;
        }
        wake();
    }

    /**
     * The next bytes; null if there are none now.
     *
     * @throws StatementRefusedException where some could not be kept; only {@link #discard} helps
     *     then
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

    /** Whether all bytes were polled, and none will come. */
    public synchronized boolean isDone() {
        return ended && pieces.isEmpty();
    }

    /** Whether whoever sends is to wait. */
    public synchronized boolean isFull() {
        return bytes >= FULL_BYTES;
    }

    /** Runs a task once, where there is room; at once if there is. */
    public void onRoom(Runnable task) {
        synchronized (this) {
            if (isFull()) {
                waitsForRoom = task;
                return;
            }
        }
        task.run();
    }

    /** Takes {@code rest} to be run when there is more to know, or answers false if there is. */
    public synchronized boolean park(Runnable rest) {
        if (ended || refusal != null || !pieces.isEmpty()) {
            return false;
        }
        parked = rest;
        return true;
    }

    /** Lets what is parked proceed: there is something to know that is not in here. */
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

    /** Nobody wants the file any more; what comes of it is dropped. */
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
