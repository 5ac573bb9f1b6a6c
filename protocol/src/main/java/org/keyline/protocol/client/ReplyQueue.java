package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The commands of one connection that wait for their replies, and the replies as they come. Confined to one event loop.
 */
final class ReplyQueue {
    /*
     * The scanner belongs to the reply of the first command in the queue, the current one; so does the reader where that
     * reply is decoded. A listener may send commands from within its callbacks. They join the queue at once, but no
     * reply begins before the callback has returned: the scanner still describes the one that ended.
     */

    private final int capabilities;
    private final Runnable refuse;
    private final ReplyScanner scanner;
    private final ResultReader reader;
    private final ArrayDeque<InFlight> waiting = new ArrayDeque<>();
    private @Nullable InFlight current;
    private @Nullable Throwable failure;
    private boolean ending;
    /** Sequence id of the next packet of a file that the client sends; negative outside. */
    private int answerSequenceId = -1;

    /** @param refuse answers what the server asks for and nobody provides */
    ReplyQueue(ClientOptions options, int capabilities, Runnable refuse) {
        this.capabilities = capabilities;
        this.refuse = refuse;
        this.scanner = new ReplyScanner(options.maxHeadBytes());
        this.reader = new ResultReader(options.maxPacketBytes());
    }

    int size() {
        return waiting.size();
    }

    /** Why the connection is gone; {@code null} while it is not. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** A command was written. */
    void add(InFlight command) {
        waiting.add(command);
        beginReply();
    }

    /** Makes the first in the queue the current one, and ends those that have no reply. */
    private void beginReply() {
        while (current == null && !ending && failure == null) {
            InFlight next = waiting.peek();
            if (next == null) {
                return;
            }
            current = next;
            scanner.begin(next.command(), capabilities, next.firstSequenceId());
            if (next.decoded() != null) {
                reader.begin(next.command(), capabilities, next.firstSequenceId(), next.decoded());
            }
            if (scanner.ended()) {
                endReply(next);
            }
        }
    }

    /** Takes a command off the queue and tells its listener; the reader has told it already where it decodes. */
    private void endReply(InFlight ended) {
        if (failure != null) {
            return;
        }
        waiting.poll();
        current = null;
        ending = true;
        try {
            if (ended.raw() != null) {
                ended.raw().end(scanner);
            }
        } finally {
            ending = false;
        }
    }

    /**
     * Takes replies, of any number of commands.
     *
     * @param packets whole packets, borrowed
     * @return what no reply is due for; a view
     */
    ByteBuf received(ByteBuf packets) {
        int at = packets.readerIndex();
        int to = packets.writerIndex();
        while (at < to && failure == null) {
            InFlight due = current;
            if (due == null || scanner.awaitsClient()) {
                break;
            }
            int end = scanner.scan(packets, at, to);
            deliver(due, packets.slice(at, end - at));
            at = end;
            if (failure == null && scanner.awaitsClient()) {
                awaitClient(due);
            } else if (failure == null && scanner.ended()) {
                endReply(due);
                beginReply();
            }
        }
        return packets.slice(at, to - at);
    }

    private void deliver(InFlight due, ByteBuf packets) {
        if (due.raw() != null) {
            due.raw().packets(packets.retain(), scanner);
        } else {
            reader.feed(packets);
        }
    }

    private void awaitClient(InFlight due) {
        boolean taken = due.raw() != null && due.raw().awaited(scanner);
        if (!taken && failure == null && scanner.awaitsClient()) {
            refuse.run();
        }
    }

    boolean awaitsFile() {
        return scanner.awaitsFile();
    }

    /** The sequence id of the packet that the server awaits from the client. */
    int answerSequenceId() {
        if (!scanner.awaitsClient()) {
            throw new IllegalStateException("the server awaits no answer");
        }
        return answerSequenceId < 0 ? scanner.nextSequenceId() : answerSequenceId;
    }

    /**
     * A packet that the server awaits was written.
     *
     * @param next the sequence id behind it
     * @param last whether the server now goes on
     */
    void answered(int next, boolean last) {
        answerSequenceId = last ? -1 : next;
        if (last) {
            scanner.resume(next);
            if (current != null && current.decoded() != null) {
                reader.scanner().resume(next);
            }
        }
    }

    /** Tells all that wait, in order; only the first call does. */
    void fail(Throwable cause) {
        if (failure != null) {
            return;
        }
        failure = cause;
        // The reader tells of the end of a reply before the queue does.
        if (current != null && current.decoded() != null && reader.ended()) {
            waiting.poll();
        }
        current = null;
        for (InFlight next = waiting.poll(); next != null; next = waiting.poll()) {
            try {
                next.failed(cause);
            } catch (RuntimeException e) {
                cause.addSuppressed(e);
            }
        }
    }
}
