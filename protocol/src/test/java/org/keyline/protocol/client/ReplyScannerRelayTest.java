package org.keyline.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.protocol.ServerStatus.SERVER_STATUS_AUTOCOMMIT;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.fixtures.LeakCheck;

/** Replies that occur only in a relay, because this module's client never requests them. */
@ExtendWith(LeakCheck.class)
final class ReplyScannerRelayTest {
    private static final int AUTOCOMMIT = SERVER_STATUS_AUTOCOMMIT;

    @Test
    void progressReports_areNoErrors() {
        FramedReply reply = new FramedReply(false)
                .raw(0xFF, 0xFF, 0xFF, 1, 1, 2, 0, 0, 0, 0)
                .raw(0xFF, 0xFF, 0xFF, 1);
        int reported = reply.bytes.writerIndex();
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_QUERY, 0);
        scanner.scan(reply.bytes, 0, reported);
        assertThat(scanner.ended()).isFalse();
        reply.ok(AUTOCOMMIT);
        assertThat(scanner.scan(reply.bytes, reported, reply.bytes.writerIndex()))
                .isEqualTo(reply.bytes.writerIndex());
        assertThat(scanner.ended()).isTrue();
        assertThat(scanner.summary().error()).isNull();
    }

    @Test
    void binaryLog_endsByEofOrErrorOnly() {
        FramedReply reply = new FramedReply(false).raw(0, 1, 2, 3).raw(0, 4);
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_BINLOG_DUMP, 0);
        int events = reply.bytes.writerIndex();
        scanner.scan(reply.bytes, 0, events);
        assertThat(scanner.ended()).isFalse();
        reply.raw(0xFE, 0, 0, 0, 0);
        scanner.scan(reply.bytes, events, reply.bytes.writerIndex());
        assertThat(scanner.ended()).isTrue();
    }

    @Test
    void begin_commandNotYetWhole_takesAnErrorUnderAnyId() {
        FramedReply reply = new FramedReply(false, 77).raw(0xFF, 0x81, 0x04, '#', '0', '8', 'S', '0', '1', 'x');
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_QUERY, 0, -1);
        scanner.scan(reply.bytes, 0, reply.bytes.writerIndex());
        assertThat(scanner.ended()).isTrue();
        assertThat(scanner.summary().error()).isNotNull();
    }
}
