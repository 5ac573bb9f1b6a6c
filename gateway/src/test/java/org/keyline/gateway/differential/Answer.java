package org.keyline.gateway.differential;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The raw packets of one reply, header included, each as hexadecimal digits. */
public record Answer(List<String> packets) {
    private static final String ERR = "ff";

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

    /** The same packets without their sequence ids, in an order that does not tell in which they came. */
    List<String> asSet() {
        List<String> payloads = new ArrayList<>();
        packets.forEach(packet -> payloads.add(packet.substring(8)));
        Collections.sort(payloads);
        return payloads;
    }
}
