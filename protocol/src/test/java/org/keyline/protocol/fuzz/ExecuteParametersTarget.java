package org.keyline.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.client.StatementArguments;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.protocol.codec.Temporal;

/**
 * COM_STMT_EXECUTE: a byte of flags (long data sent before, query attributes, a second execution,
 * COM_QUERY instead), one for the number of placeholders, then the payload. Every decoded value can
 * be read by its type.
 */
final class ExecuteParametersTarget implements FuzzTarget {
    private static final int LONG_DATA = 1;
    private static final int ATTRIBUTES = 2;
    private static final int TWICE = 4;
    private static final int QUERY = 8;

    @Override
    public void run(byte[] input) {
        if (input.length < 2) {
            return;
        }
        int flags = input[0];
        StatementParameters statement = new StatementParameters(input[1] & 0x1F, 64);
        int capabilities = (flags & ATTRIBUTES) != 0 ? Capabilities.CLIENT_QUERY_ATTRIBUTES : 0;
        ByteBuf payload = Unpooled.wrappedBuffer(input, 2, input.length - 2);
        if ((flags & LONG_DATA) != 0) {
            statement.appendLongData(0, Unpooled.wrappedBuffer(new byte[] {1, 2, 3}));
        }
        ExecuteParameters parameters = new ExecuteParameters();
        for (int times = (flags & TWICE) != 0 ? 2 : 1; times > 0; times--) {
            try {
                if ((flags & QUERY) != 0) {
                    int text = parameters.decodeQuery(payload, capabilities);
                    assertThat(text).isBetween(0, Math.max(1, payload.readableBytes()));
                } else {
                    parameters.decode(payload, capabilities, statement);
                }
                read(parameters);
            } catch (ProtocolException e) {
                assertThat(e.code()).isNotNull();
            }
        }
    }

    private static void read(ExecuteParameters parameters) {
        Temporal temporal = new Temporal();
        for (int i = 0; i < parameters.count() + parameters.attributeCount(); i++) {
            int type = parameters.type(i);
            if (parameters.isNull(i)) {
                continue;
            }
            int end = parameters.offset(i) + parameters.length(i);
            assertThat(end).isBetween(0, parameters.source(i).length);
            assertThat(parameters.text(i, StandardCharsets.UTF_8)).isNotNull();
            boolean clock = ColumnType.binaryLength(type) == ColumnType.LENGTH_BYTE;
            if (clock && !parameters.isLongData(i)) {
                parameters.temporal(i, temporal);
            }
        }
    }

    @Override
    public List<byte[]> seeds() {
        StatementArguments some = new StatementArguments()
                .addInt64(-1)
                .addNull()
                .addText("text")
                .addFloat64(1.5)
                .addUint64(-1)
                .addBytes(new byte[] {0, -1});
        StatementArguments times = new StatementArguments()
                .add(ColumnType.DATETIME, new byte[] {11, (byte) 0xE8, 7, 2, 29, 23, 59, 58, 1, 2, 3, 0})
                .add(ColumnType.DATE, new byte[] {4, (byte) 0xE8, 7, 2, 29})
                .add(ColumnType.TIME, new byte[] {8, 1, 1, 0, 0, 0, 2, 3, 4})
                .add(ColumnType.TINY, new byte[] {5})
                .add(ColumnType.FLOAT, new byte[] {0, 0, (byte) 0x80, 0x3F})
                .add(ColumnType.NEWDECIMAL, new byte[] {3, '1', '.', '5'});
        return List.of(
                seed(0, 6, some),
                seed(TWICE, 6, times),
                seed(LONG_DATA, 6, some),
                seed(0, 0, new StatementArguments()),
                Bytes.of(out -> out.writeByte(ATTRIBUTES | QUERY)
                        .writeByte(0)
                        .writeByte(CommandCode.COM_QUERY)
                        .writeByte(1)
                        .writeByte(1)
                        .writeByte(0)
                        .writeByte(1)
                        .writeShortLE(ColumnType.VAR_STRING)
                        .writeByte(1)
                        .writeByte('n')
                        .writeByte(1)
                        .writeByte('v')
                        .writeByte('S')));
    }

    private static byte[] seed(int flags, int count, StatementArguments arguments) {
        return Bytes.of(out -> {
            out.writeByte(flags).writeByte(count);
            arguments.encode(out, 1);
        });
    }
}
