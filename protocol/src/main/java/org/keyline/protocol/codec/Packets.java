package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;

/**
 * Reads and writes packets. A packet has three bytes of length, one of sequence id, and the
 * payload. A payload of 0xFFFFFF bytes or more is sent in packets of 0xFFFFFF bytes and a last,
 * shorter packet, which can be empty.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html">MySQL
 * packets</a>
 */
public final class Packets {
    public static final int HEADER_BYTES = 4;

    /** Maximum payload of a packet. A payload of this length continues in the next packet. */
    public static final int MAX_PAYLOAD_BYTES = 0xFFFFFF;

    private Packets() {}

    /** Reserves a header and returns its index. Write the payload, then call {@link #end}. */
    public static int begin(ByteBuf out) {
        int begin = out.writerIndex();
        out.writeInt(0);
        return begin;
    }

    /**
     * Writes the header reserved by {@link #begin}. Splits, in place, a payload that is too long
     * for one packet.
     *
     * @return the sequence id of the packet after this one
     */
    public static int end(ByteBuf out, int begin, int sequenceId) {
        int payload = out.writerIndex() - begin - HEADER_BYTES;
        if (payload < MAX_PAYLOAD_BYTES) {
            header(out, begin, payload, sequenceId);
            return next(sequenceId);
        }
        return split(out, begin, payload, sequenceId);
    }

    /**
     * Appends a payload with its header or headers.
     *
     * @param payload borrowed; its readable bytes are copied, its indexes do not move
     * @return the sequence id of the packet after this one
     */
    public static int write(ByteBuf out, ByteBuf payload, int sequenceId) {
        int from = payload.readerIndex();
        int left = payload.readableBytes();
        int id = sequenceId;
        while (true) {
            int piece = Math.min(left, MAX_PAYLOAD_BYTES);
            out.ensureWritable(HEADER_BYTES + piece);
            out.writeIntLE(piece | id << 24);
            out.writeBytes(payload, from, piece);
            id = next(id);
            from += piece;
            left -= piece;
            if (piece < MAX_PAYLOAD_BYTES) {
                return id;
            }
        }
    }

    /**
     * Renumbers whole packets consecutively.
     *
     * @return the sequence id after the last packet
     * @throws IllegalArgumentException if the bytes end inside a packet
     */
    public static int renumber(ByteBuf packets, int from, int to, int sequenceId) {
        int id = sequenceId;
        int at = from;
        while (to - at >= HEADER_BYTES) {
            if (sequenceId(packets, at) != id) {
                packets.setByte(at + 3, id);
            }
            id = next(id);
            at += HEADER_BYTES + payloadLength(packets, at);
        }
        if (at != to) {
            throw new IllegalArgumentException("bytes end inside a packet");
        }
        return id;
    }

    public static int next(int sequenceId) {
        return sequenceId + 1 & 0xFF;
    }

    public static int payloadLength(ByteBuf in, int index) {
        return in.getUnsignedMediumLE(index);
    }

    public static int sequenceId(ByteBuf in, int index) {
        return in.getUnsignedByte(index + 3);
    }

    private static void header(ByteBuf out, int index, int length, int sequenceId) {
        out.setIntLE(index, length | sequenceId << 24);
    }

    private static int split(ByteBuf out, int begin, int payload, int sequenceId) {
        int pieces = payload / MAX_PAYLOAD_BYTES;
        out.writeZero(pieces * HEADER_BYTES);
        int last = payload - pieces * MAX_PAYLOAD_BYTES;
        for (int piece = pieces; piece >= 0; piece--) {
            int length = piece == pieces ? last : MAX_PAYLOAD_BYTES;
            int from = begin + HEADER_BYTES + piece * MAX_PAYLOAD_BYTES;
            int to = from + piece * HEADER_BYTES;
            if (piece > 0) {
                move(out, from, to, length);
            }
            header(out, to - HEADER_BYTES, length, sequenceId + piece & 0xFF);
        }
        return sequenceId + pieces + 1 & 0xFF;
    }

    /** Moves bytes up in chunks, because ByteBuf does not define overlapping copies. */
    private static void move(ByteBuf out, int from, int to, int length) {
        byte[] chunk = new byte[Math.min(length, 8192)];
        for (int end = length; end > 0; ) {
            int bytes = Math.min(end, chunk.length);
            end -= bytes;
            out.getBytes(from + end, chunk, 0, bytes);
            out.setBytes(to + end, chunk, 0, bytes);
        }
    }
}
