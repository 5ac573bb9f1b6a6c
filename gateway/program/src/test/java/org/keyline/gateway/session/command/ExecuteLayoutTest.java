package org.keyline.gateway.session.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.client.StatementArguments;

final class ExecuteLayoutTest {
    private static final int ATTRIBUTES = Capabilities.CLIENT_QUERY_ATTRIBUTES;

    private static ByteBuf execute(int capabilities, int values) {
        StatementArguments arguments = new StatementArguments();
        for (int i = 0; i < values; i++) {
            arguments.addUint64(i);
        }
        if (capabilities != 0) {
            arguments.addAttribute("a name", "a value");
        }
        ByteBuf payload = Unpooled.buffer();
        arguments.encode(payload, 1, capabilities);
        return payload;
    }

    @Test
    void types_withAndWithoutNames_areFound() {
        for (int capabilities : new int[] {0, ATTRIBUTES}) {
            for (int values : new int[] {1, 7, 8, 9, 249, 250, 251, 1_000, 65_000}) {
                ByteBuf payload = execute(capabilities, values);
                boolean named = ExecuteLayout.isNamed(capabilities);
                int boundAt = ExecuteLayout.boundAt(payload, values, named);
                assertThat(payload.getByte(boundAt)).as("%d values", values).isEqualTo((byte) 1);
                byte[] types = new byte[2 * values];
                ExecuteLayout.types(payload, boundAt, named, types);
                assertThat(ByteBufUtil.hexDump(types)).isEqualTo("0880".repeat(values));
            }
        }
    }

    @Test
    void write_typesLeftOut_areAsTheClientSentThem() {
        StatementArguments arguments = new StatementArguments().addInt64(5).addText("x");
        for (int capabilities : new int[] {0, ATTRIBUTES}) {
            ByteBuf sent = Unpooled.buffer();
            arguments.encode(sent, 1, capabilities);
            boolean named = ExecuteLayout.isNamed(capabilities);
            int boundAt = ExecuteLayout.boundAt(sent, 2, named);
            byte[] types = new byte[4];
            ExecuteLayout.types(sent, boundAt, named, types);
            ByteBuf again = Unpooled.buffer().writeBytes(sent, 0, boundAt);
            ExecuteLayout.write(again, types, named);
            assertThat(ByteBufUtil.hexDump(sent)).startsWith(ByteBufUtil.hexDump(again));
            assertThat(again.readableBytes()).isEqualTo(boundAt + 1 + (named ? 6 : 4));
        }
    }
}
