package org.keyline.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.codec.StatementParameters;

final class StatementArgumentsTest {
    private static final int ATTRIBUTES = Capabilities.CLIENT_QUERY_ATTRIBUTES;

    private static ByteBuf encode(StatementArguments arguments) {
        ByteBuf out = Unpooled.buffer();
        arguments.encode(out, 1);
        return out;
    }

    /**
     * The example of MySQL's documentation of COM_STMT_EXECUTE: one VAR_STRING {@code foo}, without
     * its header.
     */
    @Test
    void encode_exampleOfTheDocumentation_isTheSameBytes() {
        ByteBuf out = encode(new StatementArguments().add(0x0F, new byte[] {3, 'f', 'o', 'o'}));
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo("17010000000001000000" + "0001" + "0f00" + "03666f6f");
    }

    /**
     * Accepted by a MySQL 9.7 with negotiated query attributes; so is the same with the flag and
     * without a value.
     */
    @Test
    void encode_withQueryAttributes_hasCountAndNames() {
        ByteBuf out = Unpooled.buffer();
        new StatementArguments().addInt64(41).addAttribute("a", "abc").encode(out, 1, ATTRIBUTES);
        assertThat(ByteBufUtil.hexDump(out))
                .isEqualTo("17010000000801000000" + "02" + "0001" + "080000" + "fd000161" + "2900000000000000"
                        + "03616263");
        ByteBuf none = Unpooled.buffer();
        new StatementArguments().encode(none, 1, ATTRIBUTES);
        assertThat(ByteBufUtil.hexDump(none)).isEqualTo("17010000000801000000" + "00");
    }

    @Test
    void encode_noValues_hasNoBitmap() {
        assertThat(ByteBufUtil.hexDump(encode(new StatementArguments().withCursor())))
                .isEqualTo("17010000000101000000");
    }

    /** The unsigned flag is the high bit of the second type byte. The bitmap of NULLs. */
    @Test
    void unsignedAndNullValues_areReadBackByTheServer() {
        for (int seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(40);
            long[] values = random.longs(count).toArray();
            boolean[] nulls = new boolean[count];
            boolean[] unsigned = new boolean[count];
            StatementArguments arguments = new StatementArguments();
            for (int i = 0; i < count; i++) {
                nulls[i] = random.nextInt(3) == 0;
                unsigned[i] = random.nextBoolean();
                if (nulls[i]) {
                    arguments.addNull();
                } else if (unsigned[i]) {
                    arguments.addUint64(values[i]);
                } else {
                    arguments.addInt64(values[i]);
                }
            }
            ExecuteParameters read = new ExecuteParameters();
            read.decode(encode(arguments), 0, new StatementParameters(count, 0));
            for (int i = 0; i < count; i++) {
                assertThat(read.isNull(i)).as("seed %d, value %d", seed, i).isEqualTo(nulls[i]);
                if (!nulls[i]) {
                    assertThat(read.int64(i)).as("seed %d, value %d", seed, i).isEqualTo(values[i]);
                    assertThat(read.unsigned(i))
                            .as("seed %d, value %d", seed, i)
                            .isEqualTo(unsigned[i]);
                }
            }
        }
    }

    /** The protocol counts parameters in two bytes. */
    @Test
    void moreThan65535Values_areRefused() {
        StatementArguments arguments = new StatementArguments();
        for (int i = 0; i < 0xFFFF; i++) {
            arguments.addNull();
        }
        assertThat(arguments.count()).isEqualTo(0xFFFF);
        assertThatThrownBy(arguments::addNull).isInstanceOf(IllegalStateException.class);
    }
}
