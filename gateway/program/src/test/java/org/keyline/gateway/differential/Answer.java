package org.keyline.gateway.differential;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

/** The raw packets of one reply, header included, each as hexadecimal digits. */
public record Answer(List<String> packets) {
    private static final String ERR = "ff";
    private static final String EOF = "050000\\w{2}fe\\w{8}";
    private static final int PAYLOAD = 4;
    private static final int STATUS = PAYLOAD + 3;
    private static final int LONGEST_END = PAYLOAD + 8;
    /** SERVER_STATUS_NO_GOOD_INDEX_USED and SERVER_STATUS_NO_INDEX_USED. */
    private static final int INDEX_FLAGS = 0x30;

    public Answer {
        packets = List.copyOf(packets);
    }

    static void collect(ByteBuf framed, List<String> packets) {
        int at = framed.readerIndex();
        while (at < framed.writerIndex()) {
            int length = 4 + framed.getUnsignedMediumLE(at);
            packets.add(ByteBufUtil.hexDump(framed, at, length));
            at += length;
        }
    }

    public boolean isError() {
        return packets.get(0).startsWith(ERR, 8);
    }

    /** Returns whether this is the error with this code. */
    public boolean isError(int code) {
        return !packets.isEmpty()
                && isError()
                && Integer.parseInt(packets.get(0).substring(10, 12), 16)
                                + 256 * Integer.parseInt(packets.get(0).substring(12, 14), 16)
                        == code;
    }

    /**
     * Returns a packet without the flags that say that a statement used no index, or no good one.
     */
    public static String withoutIndexFlags(String packet) {
        byte[] bytes = HexFormat.of().parseHex(packet);
        // The end of rows, with or without its own packet: 0xFE, two counts or the warnings,
        // status.
        boolean end = bytes.length > STATUS && bytes.length <= LONGEST_END && bytes[PAYLOAD] == (byte) 0xFE;
        if (end) {
            bytes[STATUS] &= ~INDEX_FLAGS;
        }
        return end ? HexFormat.of().formatHex(bytes) : packet;
    }

    /** Returns this answer without these flags. */
    Answer withAnyIndex() {
        return new Answer(packets.stream().map(Answer::withoutIndexFlags).toList());
    }

    /**
     * Converts the rows for a client without CLIENT_DEPRECATE_EOF to those for a client with the
     * flag: no packet after the definitions, and an OK packet after the rows.
     */
    Answer withDeprecatedEof() {
        List<String> translated = new ArrayList<>();
        int left = 0;
        for (int i = 0; i < packets.size(); i++) {
            String packet = packets.get(i);
            boolean eof = packet.matches(EOF);
            if (eof && i < packets.size() - 1) {
                left++;
                continue;
            }
            int sequenceId = Integer.parseInt(packet.substring(6, 8), 16) - left & 0xFF;
            String payload = packet.substring(8);
            if (eof) {
                // EOF packets have warnings, then status. OK packets have two counts, then status,
                // then warnings.
                payload = "fe0000" + payload.substring(6, 10) + payload.substring(2, 6);
            }
            translated.add(String.format("%s%02x%s", eof ? "070000" : packet.substring(0, 6), sequenceId, payload));
        }
        return new Answer(translated);
    }

    /** Returns the packets without their sequence ids, in an order independent of their arrival. */
    List<String> asSet() {
        List<String> payloads = new ArrayList<>();
        packets.forEach(packet -> payloads.add(packet.substring(8)));
        Collections.sort(payloads);
        return payloads;
    }
}
