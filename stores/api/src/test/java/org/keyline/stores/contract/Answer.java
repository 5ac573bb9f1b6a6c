package org.keyline.stores.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.codec.TextRowReader;
import org.keyline.protocol.fixtures.Wire;

/**
 * A complete reply.
 *
 * @param deprecatesEof whether no EOF packet follows the column definitions
 */
record Answer(List<Wire.Packet> packets, boolean deprecatesEof) {
    /** Returns the error that is the whole reply. */
    ErrPacket error() {
        assertThat(packets).hasSize(1);
        assertThat(packets.get(0).header()).isEqualTo(ErrPacket.HEADER);
        return ErrPacket.decode(packets.get(0).buffer());
    }

    /** Returns the OK that is the whole reply. */
    OkPacket ok() {
        expectNoError();
        assertThat(packets).hasSize(1);
        return OkPacket.decode(packets.get(0).buffer());
    }

    /** Returns the payloads of the rows of the only result set. */
    List<ByteBuf> rowPayloads() {
        expectNoError();
        int columns = packets.get(0).header();
        int first = 1 + columns + (deprecatesEof ? 0 : 1);
        assertThat(packets).hasSizeGreaterThan(first);
        if (!deprecatesEof) {
            expectEof(packets.get(first - 1));
            expectEof(packets.get(packets.size() - 1));
        } else {
            assertThat(packets.get(packets.size() - 1).header()).isEqualTo(OkPacket.HEADER_AS_EOF);
        }
        return packets.subList(first, packets.size() - 1).stream()
                .map(Wire.Packet::buffer)
                .toList();
    }

    /** Returns the first cells of the rows of a text result set. */
    List<String> column() {
        TextRowReader row = new TextRowReader(packets.get(0).header());
        List<String> cells = new ArrayList<>();
        for (ByteBuf payload : rowPayloads()) {
            row.read(payload);
            cells.add(row.isNull(0) ? "NULL" : row.text(0, StandardCharsets.UTF_8));
        }
        return cells;
    }

    private void expectNoError() {
        if (packets.get(0).header() == ErrPacket.HEADER) {
            throw new AssertionError(ErrPacket.decode(packets.get(0).buffer()).toString());
        }
    }

    private static void expectEof(Wire.Packet packet) {
        assertThat(packet.header()).isEqualTo(0xFE);
        assertThat(packet.payload()).hasSize(5);
    }
}
