package org.keyline.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.protocol.Capabilities.CLIENT_DEPRECATE_EOF;
import static org.keyline.protocol.ServerStatus.SERVER_STATUS_AUTOCOMMIT;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.Lenenc;

/** Long rows, and many rows. */
final class ReplyScannerLargeTest {
    private static final int AUTOCOMMIT = SERVER_STATUS_AUTOCOMMIT;

    /**
     * A row of one cell of 16 MiB or more starts with 0xFE as well: it is fragmented, an end never
     * is.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void row_startingLikeAnEnd_isARow(boolean deprecateEof) {
        int cell = 0x1000000;
        FramedReply reply = new FramedReply(deprecateEof).columnCount(1).definitions(1, 0);
        reply.payload(out -> {
            Lenenc.writeInt(out, cell);
            out.writeZero(cell);
        });
        reply.raw(1, 'x').end(AUTOCOMMIT);
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_QUERY, deprecateEof ? CLIENT_DEPRECATE_EOF : 0);
        int at = 0;
        while (at < reply.bytes.writerIndex()) {
            int to = Math.min(at + 65_537, reply.bytes.writerIndex());
            assertThat(scanner.scan(reply.bytes, at, to)).isEqualTo(to);
            at = to;
        }
        assertThat(scanner.ended()).isTrue();
        assertThat(scanner.summary().rows()).isEqualTo(2);
        reply.bytes.release();
    }

    /** Continuations may start with any byte: here each resembles an end, an error, or OK. */
    @ParameterizedTest
    @ValueSource(ints = {0xFE, 0xFF, 0x00, 0xFB})
    void row_ofExactly16MiBLess1_isContinuedByAnEmptyPacket(int filling) {
        for (int length : new int[] {0xFFFFFF, 0xFFFFFF + 1, 2 * 0xFFFFFF}) {
            FramedReply reply = new FramedReply(true).columnCount(1).definitions(1, 0);
            reply.payload(out -> {
                out.writeByte(1);
                out.ensureWritable(length);
                for (int i = 1; i < length; i++) {
                    out.writeByte(filling);
                }
            });
            reply.end(AUTOCOMMIT);
            ReplyScanner scanner = new ReplyScanner();
            scanner.begin(CommandCode.COM_QUERY, CLIENT_DEPRECATE_EOF);
            assertThat(scanner.scan(reply.bytes, 0, reply.bytes.writerIndex())).isEqualTo(reply.bytes.writerIndex());
            assertThat(scanner.ended()).isTrue();
            assertThat(scanner.summary().rows()).isEqualTo(1);
            reply.bytes.release();
        }
    }

    @Test
    void rows_whateverTheirNumber_allocateNothing() {
        FramedReply reply = new FramedReply(true).columnCount(1).definitions(1, 0);
        int rowsFrom = reply.bytes.writerIndex();
        for (int i = 0; i < 20_000; i++) {
            reply.raw(3, 'a', 'b', 'c');
        }
        ReplyScanner scanner = new ReplyScanner();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            scanner.begin(CommandCode.COM_QUERY, CLIENT_DEPRECATE_EOF);
            scanner.scan(reply.bytes, 0, rowsFrom);
            long before = threads.getCurrentThreadAllocatedBytes();
            scanner.scan(reply.bytes, rowsFrom, reply.bytes.writerIndex());
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(scanner.summary().rows()).isEqualTo(20_000);
        assertThat(least).isLessThan(1_000);
    }
}
