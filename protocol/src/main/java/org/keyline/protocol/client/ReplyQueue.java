package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ExtendedCapabilities;
import org.keyline.protocol.codec.Packets;

/** The commands of one connection that wait for replies. Confined to one event loop. */
final class ReplyQueue {
    /*
     * A listener may send commands within its callbacks. These commands join the queue at once, but
     * no reply begins before the callback returns. Until then, the scanner describes the reply that
     * has ended.
     */

    private static final int SEQUENCE_ID_AT = 3;

    private final int capabilities;
    private final boolean compressed;
    private final boolean skipsIds;
    private final Runnable refuse;
    private final Runnable sendDeferred;
    private final ReplyScanner scanner;
    private final ResultReader reader;
    private final ArrayDeque<InFlight> waiting = new ArrayDeque<>();
    private @Nullable InFlight current;
    private @Nullable Throwable failure;
    private boolean ending;
    /** The sequence id of the next relayed packet; negative if the server's own ids are relayed. */
    private int shownSequenceId = -1;
    /** Under compression, the id after the server's last packet; negative before a reply. */
    private int flushedId = -1;
    /** The id of the next packet of a file (LOAD DATA LOCAL); negative if no file is sent. */
    private int answerSequenceId = -1;
    /** Whether the file's last packet had 0xFFFFFF bytes, so that the next packet continues it. */
    private boolean answerContinued;
    /** The id of the next packet of an incomplete command; negative between commands. */
    private int commandSequenceId = -1;

    /**
     * @param refuse sends an empty packet if the server awaits a packet that no listener sends
     * @param sendDeferred sends the first command that is deferred
     */
    ReplyQueue(
            ClientOptions options, int capabilities, int extendedCapabilities, Runnable refuse, Runnable sendDeferred) {
        this.capabilities = capabilities;
        this.compressed = Capabilities.has(capabilities, Capabilities.CLIENT_COMPRESS);
        this.skipsIds = options.traits().skipsSequenceIds();
        this.refuse = refuse;
        this.sendDeferred = sendDeferred;
        this.scanner = new ReplyScanner();
        this.reader = new ResultReader(
                scanner,
                options.maxPacketBytes(),
                (extendedCapabilities & ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA) != 0);
    }

    int size() {
        return waiting.size();
    }

    /** Returns why the connection failed; null while it is open. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    ReplyScanner scanner() {
        return scanner;
    }

    void add(InFlight command) {
        waiting.add(command);
        beginReply();
    }

    /** Begins the reply to the first waiting command, and completes commands without a reply. */
    private void beginReply() {
        while (current == null && !ending && failure == null) {
            InFlight next = waiting.peek();
            if (next == null) {
                return;
            }
            current = next;
            flushedId = -1;
            scanner.begin(
                    next.command(), capabilities, skipsIds ? ReplyScanner.ANY_SEQUENCE_ID : next.firstSequenceId());
            if (next.decoded() != null) {
                reader.begin(next.command(), next.decoded());
            }
            if (next.deferred()) {
                sendDeferred.run();
            }
            // A command without a reply is complete once all of it is sent.
            if (!scanner.ended() || next.firstSequenceId() == InFlight.UNKNOWN) {
                return;
            }
            endReply(next);
        }
    }

    /** Ends a reply. If it is decoded, the reader has already notified the listener. */
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
     * Handles packets of any number of replies.
     *
     * @param packets whole packets, borrowed
     * @return a view of the packets that belong to no waiting command, such as an error before the
     *     server closes the connection
     */
    ByteBuf received(ByteBuf packets) {
        int at = packets.readerIndex();
        int to = packets.writerIndex();
        while (at < to && failure == null) {
            InFlight due = current;
            if (due == null || scanner.awaitsClient() || scanner.ended()) {
                break;
            }
            if (due.raw() != null) {
                at = relay(due, due.raw(), packets, at);
            } else {
                ByteBuf rest = packets.slice(at, to - at);
                reader.feed(rest);
                at = to - rest.readableBytes();
            }
            if (failure == null && scanner.awaitsClient()) {
                awaitClient(due);
            } else if (failure == null && scanner.ended()) {
                endReply(due);
                beginReply();
            }
        }
        return packets.slice(at, to - at);
    }

    /** Renumbers a reply that begins with a wrong sequence id, which clients would reject. */
    private void showFromFirst(ByteBuf packets, int from, int to, boolean begins, int first) {
        if (begins) {
            shownSequenceId = Packets.sequenceId(packets, from) == first ? -1 : first;
        }
        if (shownSequenceId >= 0) {
            shownSequenceId = Packets.renumber(packets, from, to, shownSequenceId);
        }
    }

    /**
     * Numbers the packets of a compressed connection. A server restarts the numbering after each
     * flush, with the id of a compressed packet. The relayed ids restart at the same packets with
     * the same ids, except that a reply begins with {@code first}.
     */
    private void showFlushes(ByteBuf packets, int from, int to, int first) {
        for (int at = from; at < to; at += Packets.HEADER_BYTES + Packets.payloadLength(packets, at)) {
            int id = Packets.sequenceId(packets, at);
            if (flushedId < 0) {
                shownSequenceId = first < 0 ? id : first;
            } else if (id != flushedId) {
                shownSequenceId = id;
            }
            packets.setByte(at + SEQUENCE_ID_AT, shownSequenceId);
            flushedId = Packets.next(id);
            shownSequenceId = Packets.next(shownSequenceId);
        }
    }

    /** Relays the packets from {@code at} to the reply's end. Returns the index after them. */
    private int relay(InFlight due, PacketListener listener, ByteBuf packets, int at) {
        boolean begins = scanner.nextSequenceId() < 0;
        int end = scanner.scan(packets, at, packets.writerIndex());
        if (compressed) {
            showFlushes(packets, at, end, due.firstSequenceId());
        } else if (skipsIds) {
            showFromFirst(packets, at, end, begins, due.firstSequenceId());
        }
        listener.packets(packets.retainedSlice(at, end - at), scanner);
        return end;
    }

    private void awaitClient(InFlight due) {
        boolean taken = due.raw() != null && due.raw().awaited(scanner);
        if (!taken && failure == null && scanner.awaitsClient()) {
            refuse.run();
        }
    }

    int answerSequenceId() {
        if (!scanner.awaitsClient()) {
            throw new IllegalStateException("the server awaits no answer");
        }
        return answerSequenceId < 0 ? scanner.nextSequenceId() : answerSequenceId;
    }

    /**
     * Call after sending a packet that the server awaits. A file ends only with an empty packet.
     *
     * @param next the sequence id after the sent packet
     */
    void answered(int next, int bytes) {
        boolean last = !scanner.awaitsFile() || (bytes == 0 && !answerContinued);
        answerContinued = bytes == Packets.MAX_PAYLOAD_BYTES;
        answerSequenceId = last ? -1 : next;
        if (last) {
            answerContinued = false;
            scanner.resume(next);
        }
    }

    void begun(int next) {
        commandSequenceId = next;
    }

    void continued(int next, boolean last) {
        commandSequenceId = last ? -1 : next;
        InFlight sent = waiting.peekLast();
        // Only now is the sequence id of the reply known. If the server has replied earlier, the
        // reply began with an id that the server chose, and has possibly ended already.
        if (last && sent != null && sent.firstSequenceId() == InFlight.UNKNOWN) {
            InFlight whole = new InFlight(sent.command(), next, sent.raw(), sent.decoded(), sent.deferred());
            waiting.removeLast();
            waiting.addLast(whole);
            if (current != null && waiting.size() == 1) {
                current = whole;
                if (!skipsIds) {
                    scanner.expectFirst(next);
                }
                if (scanner.ended()) {
                    endReply(whole);
                }
            }
        }
    }

    boolean isMidCommand() {
        return commandSequenceId >= 0;
    }

    int commandSequenceId() {
        return commandSequenceId;
    }

    /** Notifies all waiting listeners in order. Only the first call has an effect. */
    void fail(Throwable cause) {
        if (failure != null) {
            return;
        }
        failure = cause;
        // If the reply has ended, the reader has already notified the listener of this command.
        if (current != null && current.decoded() != null && scanner.ended()) {
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
