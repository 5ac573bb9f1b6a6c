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

    /** A packet without the flags by which a server tells that it used no index, or no good one. */
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

    /** The same without these flags. */
    Answer withAnyIndex() {
        return new Answer(packets.stream().map(Answer::withoutIndexFlags).toList());
    }

    /**
     * The rows that a client without CLIENT_DEPRECATE_EOF reads, as one with that flag does: no
     * packet behind the definitions, and an OK packet behind the rows.
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
                // Warnings and status; in an OK packet two counts come first, and the status before
                // the warnings.
                payload = "fe0000" + payload.substring(6, 10) + payload.substring(2, 6);
            }
            translated.add(String.format("%s%02x%s", eof ? "070000" : packet.substring(0, 6), sequenceId, payload));
        }
        return new Answer(translated);
    }

    /**
     * The same packets without their sequence ids, in an order that does not tell in which they
     * came.
     */
    List<String> asSet() {
        List<String> payloads = new ArrayList<>();
        packets.forEach(packet -> payloads.add(packet.substring(8)));
        Collections.sort(payloads);
        return payloads;
    }
}
