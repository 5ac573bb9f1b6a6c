package org.keyline.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.fixtures.Hex;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Seeds;
import org.keyline.protocol.fixtures.Wire;

@ExtendWith(LeakCheck.class)
final class ExecuteParametersTest {
    private static final int ATTRIBUTES = Capabilities.CLIENT_QUERY_ATTRIBUTES;

    private final ExecuteParameters parameters = new ExecuteParameters();

    /** The example on the page of COM_STMT_EXECUTE. */
    @Test
    void decode_documentedExample_isRead() {
        parameters.decode(Wire.hex("17 01 00 00 00 00 01 00 00 00 00 01 0f 00 03 66 6f 6f"), 0, statement(1));
        assertThat(parameters.statementId()).isEqualTo(1);
        assertThat(parameters.flags()).isEqualTo(ExecuteParameters.CURSOR_TYPE_NO_CURSOR);
        assertThat(parameters.type(0)).isEqualTo(ColumnType.VARCHAR);
        assertThat(parameters.text(0, StandardCharsets.UTF_8)).isEqualTo("foo");
        assertThat(parameters.attributeCount()).isZero();
    }

    @Test
    void decode_withoutNewTypes_usesTheRememberedOnes() {
        StatementParameters statement = statement(2);
        parameters.decode(execute(2, "00 01 08 00 03 80 2a 00 00 00 00 00 00 00 ff ff ff ff"), 0, statement);
        assertThat(parameters.int64(0)).isEqualTo(42);
        assertThat(parameters.int64(1)).isEqualTo(0xFFFF_FFFFL);
        parameters.decode(execute(2, "00 00 2b 00 00 00 00 00 00 00 fe ff ff ff"), 0, statement);
        assertThat(parameters.int64(0)).isEqualTo(43);
        assertThat(parameters.unsigned(1)).isTrue();
        assertThat(parameters.int64(1)).isEqualTo(0xFFFF_FFFEL);
    }

    @Test
    void peek_atNewTypesAndAfterLongData_leavesTheStatementUnchanged() {
        StatementParameters statement = statement(1);
        parameters.decode(execute(1, "00 01 08 00 2a 00 00 00 00 00 00 00"), 0, statement);
        parameters.peek(execute(1, "00 01 02 80 07 00"), 0, statement);
        assertThat(parameters.int64(0)).isEqualTo(7);
        parameters.decode(execute(1, "00 00 2b 00 00 00 00 00 00 01"), 0, statement);
        assertThat(parameters.int64(0)).isEqualTo(0x0100_0000_0000_002bL);
        statement.appendLongData(0, Unpooled.wrappedBuffer(new byte[] {'a', 'b'}));
        parameters.peek(execute(1, "00 01 fc 00 01 63"), 0, statement);
        parameters.decode(execute(1, "00 01 fc 00"), 0, statement);
        assertThat(parameters.text(0, StandardCharsets.UTF_8)).isEqualTo("ab");
    }

    @Test
    void decode_withoutTypesEver_isWrongArguments() {
        assertThatThrownBy(() -> parameters.decode(execute(1, "00 00 01 00 00 00"), 0, statement(1)))
                .isInstanceOfSatisfying(
                        ProtocolException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ER_WRONG_ARGUMENTS));
    }

    /** Connector/J sends no types if every parameter of a first execution is NULL. */
    @Test
    void decode_withoutTypesEver_ofNullsAlone_isNulls() {
        parameters.decode(execute(2, "03 00"), 0, statement(2));
        assertThat(parameters.isNull(0)).isTrue();
        assertThat(parameters.isNull(1)).isTrue();
        assertThatThrownBy(() -> parameters.decode(execute(2, "01 00 01 00 00 00"), 0, statement(2)))
                .isInstanceOf(ProtocolException.class);
    }

    /** The unsigned flag is 0x8000 of the two-byte type. */
    @ParameterizedTest
    @ValueSource(strings = {"01 00 ff", "02 00 ff ff", "03 00 ff ff ff ff", "08 00 ff ff ff ff ff ff ff ff"})
    void int64_withAndWithoutUnsignedFlag_differs(String typeAndValue) {
        parameters.decode(execute(1, "00 01 " + typeAndValue), 0, statement(1));
        assertThat(parameters.int64(0)).isEqualTo(-1);
        int bytes = Hex.bytes(typeAndValue).length - 2;
        parameters.decode(execute(1, "00 01 " + typeAndValue.replaceFirst(" 00", " 80")), 0, statement(1));
        assertThat(parameters.int64(0)).isEqualTo(bytes == 8 ? -1 : (1L << (8 * bytes)) - 1);
        assertThat(parameters.text(0, StandardCharsets.UTF_8))
                .isEqualTo(bytes == 8 ? "18446744073709551615" : Long.toString((1L << (8 * bytes)) - 1));
    }

    /** The bitmap of parameters starts at bit 0. */
    @Test
    void decode_nullBitmap_startsAtBitZero() {
        Seeds.tryAll(200, random -> {
            int count = 1 + random.nextInt(40);
            boolean[] nulls = new boolean[count];
            ByteBuf body = Unpooled.buffer();
            byte[] bitmap = new byte[(count + 7) / 8];
            for (int i = 0; i < count; i++) {
                nulls[i] = random.nextBoolean();
                bitmap[i / 8] |= (byte) (nulls[i] ? 1 << (i % 8) : 0);
            }
            body.writeBytes(bitmap).writeByte(1);
            for (int i = 0; i < count; i++) {
                body.writeShortLE(ColumnType.VAR_STRING);
            }
            for (int i = 0; i < count; i++) {
                if (!nulls[i]) {
                    Lenenc.writeString(body, "v" + i);
                }
            }
            parameters.decode(execute(body), 0, statement(count));
            for (int i = 0; i < count; i++) {
                assertThat(parameters.isNull(i)).isEqualTo(nulls[i]);
                if (!nulls[i]) {
                    assertThat(parameters.text(i, StandardCharsets.UTF_8)).isEqualTo("v" + i);
                }
            }
        });
    }

    @Test
    void decode_nullType_isNullWithoutABit() {
        parameters.decode(execute(2, "00 01 06 00 01 00 07"), 0, statement(2));
        assertThat(parameters.isNull(0)).isTrue();
        assertThat(parameters.int64(1)).isEqualTo(7);
    }

    @Test
    void decode_temporal_isTakenApart() {
        parameters.decode(
                execute(2, "00 01 0c 00 0b 00 0b da 07 0a 11 13 1b 1e 40 e2 01 00 08 01 01 00 00 00 02 03 04"),
                0,
                statement(2));
        assertThat(parameters.text(0, StandardCharsets.UTF_8)).isEqualTo("2010-10-17 19:27:30.123456");
        assertThat(parameters.text(1, StandardCharsets.UTF_8)).isEqualTo("-26:03:04");
        Temporal temporal = new Temporal();
        parameters.temporal(0, temporal);
        assertThat(temporal.year()).isEqualTo(2010);
        assertThat(temporal.micros()).isEqualTo(123_456);
    }

    @Test
    void longData_inPieces_isOneValueOfOneExecution() {
        StatementParameters statement = statement(2);
        statement.appendLongData(1, Wire.hex("61 62"));
        statement.appendLongData(1, Wire.hex(""));
        statement.appendLongData(1, Wire.hex("63"));
        parameters.decode(execute(2, "00 01 01 00 fc 00 05"), 0, statement);
        assertThat(parameters.int64(0)).isEqualTo(5);
        assertThat(parameters.isLongData(1)).isTrue();
        assertThat(parameters.isNull(1)).isFalse();
        assertThat(parameters.text(1, StandardCharsets.UTF_8)).isEqualTo("abc");
        parameters.decode(execute(2, "00 01 01 00 fc 00 05 01 64"), 0, statement);
        assertThat(parameters.isLongData(1)).isFalse();
        assertThat(parameters.text(1, StandardCharsets.UTF_8)).isEqualTo("d");
    }

    @Test
    void longData_emptyOverTheLimitOrReset_isReportedByTheNextExecution() {
        StatementParameters statement = new StatementParameters(1, 4);
        statement.appendLongData(0, Wire.hex(""));
        parameters.decode(execute(1, "00 01 fc 00"), 0, statement);
        assertThat(parameters.length(0)).isZero();
        statement.appendLongData(0, Wire.hex("00 00 00"));
        statement.appendLongData(0, Wire.hex("00 00"));
        assertThatThrownBy(() -> parameters.decode(execute(1, "00 01 fc 00"), 0, statement))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("max_allowed_packet");
        statement.appendLongData(7, Wire.hex("00"));
        statement.reset();
        parameters.decode(execute(1, "00 01 fc 00 01 65"), 0, statement);
        assertThat(parameters.text(0, StandardCharsets.UTF_8)).isEqualTo("e");
    }

    @Test
    void decode_queryAttributes_followTheParameters() {
        // Two values: one parameter of the statement (its name is empty), one attribute "k".
        String body = "02 00 01 03 00 00 fd 00 01 6b 2a 00 00 00 01 76";
        parameters.decode(execute(1, body), ATTRIBUTES, statement(1));
        assertThat(parameters.count()).isEqualTo(1);
        assertThat(parameters.int64(0)).isEqualTo(42);
        assertThat(parameters.attributeCount()).isEqualTo(1);
        assertThat(parameters.text(1, StandardCharsets.UTF_8)).isEqualTo("v");
    }

    @Test
    void decode_attributesOfAStatementWithoutParameters_needTheFlag() {
        ByteBuf payload = Wire.hex("17 01 00 00 00 08 01 00 00 00 01 00 01 fd 00 01 6b 01 76");
        parameters.decode(payload, ATTRIBUTES, statement(0));
        assertThat(parameters.attributeCount()).isEqualTo(1);
        assertThat(parameters.text(0, StandardCharsets.UTF_8)).isEqualTo("v");
        parameters.decode(Wire.hex("17 01 00 00 00 00 01 00 00 00"), ATTRIBUTES, statement(0));
        assertThat(parameters.attributeCount()).isZero();
    }

    /** Connector/J executes a statement without parameters in this form. */
    @Test
    void decode_countZero_isTheWholePayload() {
        parameters.decode(Wire.hex("17 01 00 00 00 08 01 00 00 00 00"), ATTRIBUTES, statement(0));
        assertThat(parameters.count()).isZero();
        assertThat(parameters.attributeCount()).isZero();
    }

    @Test
    void decodeQuery_withAndWithoutAttributes_findsTheText() {
        assertThat(parameters.decodeQuery(Wire.hex("03 53"), 0)).isEqualTo(1);
        assertThat(parameters.decodeQuery(Wire.hex("03 00 01 53"), ATTRIBUTES)).isEqualTo(3);
        assertThat(parameters.attributeCount()).isZero();
        ByteBuf payload = Wire.hex("03 01 01 00 01 fe 00 01 6b 02 76 77 53 45 4c");
        assertThat(parameters.decodeQuery(payload, ATTRIBUTES)).isEqualTo(12);
        assertThat(parameters.text(0, StandardCharsets.UTF_8)).isEqualTo("vw");
    }

    @Test
    void decode_65535Parameters_isReadAndMoreAreRefused() {
        int count = StatementParameters.MAX_PARAMETERS;
        ByteBuf body = Unpooled.buffer();
        body.writeZero((count + 7) / 8).writeByte(1);
        for (int i = 0; i < count; i++) {
            body.writeShortLE(ColumnType.TINY);
        }
        for (int i = 0; i < count; i++) {
            body.writeByte(i);
        }
        parameters.decode(execute(body), 0, statement(count));
        assertThat(parameters.int64(count - 1)).isEqualTo((byte) (count - 1));
        assertThatThrownBy(() -> statement(count + 1)).isInstanceOf(IllegalArgumentException.class);
        ByteBuf claimed = execute(1, "fe ff ff ff ff ff ff ff 7f 00 01");
        assertThatThrownBy(() -> parameters.decode(claimed, ATTRIBUTES, statement(1)))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void decode_cutAnywhereOrGarbage_isProtocolErrorOrRead() {
        byte[] whole = Hex.bytes("17 01 00 00 00 00 01 00 00 00 00 01 0f 00 0c 00 03 66 6f 6f 04 da 07 0a 11");
        for (int length = 0; length < whole.length; length++) {
            ByteBuf cut = Unpooled.wrappedBuffer(whole, 0, length);
            assertThatThrownBy(() -> parameters.decode(cut, 0, statement(2))).isInstanceOf(ProtocolException.class);
        }
        Seeds.tryAll(3000, random -> {
            ByteBuf garbage = Unpooled.wrappedBuffer(Seeds.bytes(random, random.nextInt(60)));
            try {
                parameters.decode(garbage, random.nextBoolean() ? ATTRIBUTES : 0, statement(random.nextInt(9)));
                parameters.decodeQuery(garbage, ATTRIBUTES);
            } catch (ProtocolException expected) {
                assertThat(expected.code()).isNotNull();
            }
        });
    }

    private static StatementParameters statement(int count) {
        return new StatementParameters(count, 1 << 20);
    }

    private static ByteBuf execute(int count, String body) {
        assertThat(count).isPositive();
        return execute(Wire.hex(body));
    }

    private static ByteBuf execute(ByteBuf body) {
        ByteBuf payload = Unpooled.buffer();
        payload.writeByte(CommandCode.COM_STMT_EXECUTE)
                .writeIntLE(1)
                .writeByte(0)
                .writeIntLE(1);
        return payload.writeBytes(body);
    }
}
