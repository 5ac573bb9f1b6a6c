package org.keyline.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.EofPacket;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.PreparedStatement;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.client.ResultReader;

/**
 * A server's reply: a byte that selects the command, one of flags, then the reply. The scanner and
 * the reader agree on it as a whole and in pieces, and fail by {@link ProtocolException} only.
 */
final class ReplyScannerTarget implements FuzzTarget {
    private static final int[] COMMANDS = {
        CommandCode.COM_QUERY,
        CommandCode.COM_STMT_EXECUTE,
        CommandCode.COM_STMT_PREPARE,
        CommandCode.COM_STMT_FETCH,
        CommandCode.COM_FIELD_LIST,
        CommandCode.COM_STATISTICS,
        CommandCode.COM_PING,
        CommandCode.COM_CHANGE_USER
    };
    private static final int DEPRECATE_EOF = 1;
    private static final int MAX_PACKET_BYTES = 1 << 20;

    @Override
    public void run(byte[] input) {
        if (input.length < 2) {
            return;
        }
        int command = COMMANDS[(input[0] & 0xFF) % COMMANDS.length];
        int capabilities = (input[1] & DEPRECATE_EOF) != 0 ? Capabilities.CLIENT_DEPRECATE_EOF : 0;
        ByteBuf reply = Unpooled.wrappedBuffer(input, 2, input.length - 2);
        String whole = scan(command, capabilities, reply, Integer.MAX_VALUE);
        assertThat(scan(command, capabilities, reply, 1)).isEqualTo(whole);
        assertThat(scan(command, capabilities, reply, 7)).isEqualTo(whole);
        String read = read(command, capabilities, reply, Integer.MAX_VALUE);
        assertThat(read(command, capabilities, reply, 1)).isEqualTo(read);
        assertThat(read(command, capabilities, reply, 5)).isEqualTo(read);
    }

    private static String scan(int command, int capabilities, ByteBuf reply, int pieceBytes) {
        ReplyScanner scanner = new ReplyScanner(64);
        scanner.begin(command, capabilities);
        int at = reply.readerIndex();
        try {
            while (at < reply.writerIndex() && !scanner.ended()) {
                int to = (int) Math.min((long) at + pieceBytes, reply.writerIndex());
                int end = scanner.scan(reply, at, to);
                assertThat(end).isBetween(at, to);
                assertThat(end == to || scanner.ended() || scanner.awaitsClient())
                        .isTrue();
                at = end;
                if (scanner.awaitsClient()) {
                    scanner.resume(scanner.nextSequenceId() + 1);
                }
            }
        } catch (ProtocolException e) {
            return e.code() + tell(scanner.summary());
        }
        byte[] head = scanner.head();
        return at + " " + scanner.ended() + tell(scanner.summary()) + " head " + (head == null ? -1 : head.length);
    }

    private static String tell(ReplySummary summary) {
        return " status " + summary.status() + " warnings " + summary.warnings() + " columns "
                + summary.columnCount() + " parameters " + summary.parameterCount() + " rows " + summary.rows()
                + " results " + summary.results() + " error " + summary.error();
    }

    private static String read(int command, int capabilities, ByteBuf reply, int pieceBytes) {
        Log log = new Log();
        ReplyScanner scanner = new ReplyScanner();
        ResultReader reader = new ResultReader(scanner, MAX_PACKET_BYTES, false);
        scanner.begin(command, capabilities);
        reader.begin(command, log);
        ByteBuf in = reply.duplicate();
        try {
            while (in.isReadable() && !scanner.ended()) {
                ByteBuf piece = in.readSlice(Math.min(pieceBytes, in.readableBytes()));
                reader.feed(piece);
                if (piece.isReadable() && !scanner.ended()) {
                    // it awaits the client
                    break;
                }
            }
        } catch (ProtocolException e) {
            // Which error is found first may depend on the pieces.
            log.events.add("refused");
        }
        assertThat(log.ends).isLessThanOrEqualTo(1);
        return log.events.toString();
    }

    /** Records its events. */
    private static final class Log implements ResultListener {
        final List<String> events = new ArrayList<>();
        int ends;

        @Override
        public void columns(List<ColumnDefinition> columns) {
            events.add(columns.toString());
        }

        @Override
        public void row(ByteBuf row) {
            events.add("row " + row.readableBytes() + " " + row.hashCode());
        }

        @Override
        public void resultEnd(ReplySummary summary) {
            events.add("result " + summary.results());
        }

        @Override
        public void prepared(@Nullable PreparedStatement statement) {
            events.add(String.valueOf(statement));
        }

        @Override
        public void end(ReplySummary summary) {
            ends++;
            events.add("end" + tell(summary));
        }

        @Override
        public void failed(Throwable cause) {
            throw new AssertionError(cause);
        }
    }

    @Override
    public List<byte[]> seeds() {
        int status = ServerStatus.SERVER_STATUS_AUTOCOMMIT;
        int more = status | ServerStatus.SERVER_MORE_RESULTS_EXISTS;
        ColumnDefinition column = ColumnDefinition.of("c", 45, 255, ColumnType.VAR_STRING, 0, 0);
        return List.of(
                seed(0, 0, out -> Bytes.packet(out, 1, new OkPacket(1, 2, status, 3, "info")::encode)),
                seed(0, 0, out -> Bytes.packet(out, 1, new ErrPacket(1064, "42000", "syntax")::encode)),
                seed(0, 0, out -> {
                    Bytes.packet(out, 1, 1);
                    Bytes.packet(out, 2, column::encode);
                    Bytes.packet(out, 3, new EofPacket(more, 0)::encode);
                    Bytes.packet(out, 4, 1, 'x');
                    Bytes.packet(out, 5, 0xFB);
                    Bytes.packet(out, 6, new EofPacket(more, 0)::encode);
                    Bytes.packet(out, 7, OkPacket.of(status)::encode);
                }),
                seed(0, 1, out -> {
                    Bytes.packet(out, 1, 2);
                    Bytes.packet(out, 2, column::encode);
                    Bytes.packet(out, 3, column::encode);
                    Bytes.packet(out, 4, 1, 'x', 0xFB);
                    Bytes.packet(out, 5, to -> OkPacket.of(status).encode(to, OkPacket.HEADER_AS_EOF));
                }),
                seed(0, 0, out -> {
                    Bytes.packet(out, 1, 0xFB, 'f');
                    Bytes.packet(out, 3, OkPacket.of(status)::encode);
                }),
                seed(1, 0, out -> {
                    Bytes.packet(out, 1, 1);
                    Bytes.packet(out, 2, column::encode);
                    Bytes.packet(out, 3, new EofPacket(status | ServerStatus.SERVER_STATUS_CURSOR_EXISTS, 0)::encode);
                }),
                seed(2, 0, out -> {
                    Bytes.packet(out, 1, new PrepareOk(1, 1, 1, 0)::encode);
                    Bytes.packet(out, 2, column::encode);
                    Bytes.packet(out, 3, new EofPacket(status, 0)::encode);
                    Bytes.packet(out, 4, column::encode);
                    Bytes.packet(out, 5, new EofPacket(status, 0)::encode);
                }),
                seed(3, 0, out -> {
                    Bytes.packet(out, 1, 0, 0, 1, 'x');
                    Bytes.packet(out, 2, new EofPacket(status, 0)::encode);
                }),
                seed(4, 0, out -> {
                    Bytes.packet(out, 1, column::encode);
                    Bytes.packet(out, 2, new EofPacket(status, 0)::encode);
                }),
                seed(5, 0, out -> Bytes.packet(out, 1, 'U', 'p')),
                seed(7, 0, out -> {
                    Bytes.packet(out, 1, 0xFE, 'p', 0, 's', 0);
                    Bytes.packet(out, 3, 1, 3);
                    Bytes.packet(out, 4, OkPacket.of(status)::encode);
                }));
    }

    private static byte[] seed(int command, int flags, Consumer<ByteBuf> reply) {
        return Bytes.of(out -> {
            out.writeByte(command).writeByte(flags);
            reply.accept(out);
        });
    }
}
