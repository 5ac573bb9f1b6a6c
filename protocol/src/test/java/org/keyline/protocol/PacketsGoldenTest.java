package org.keyline.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.keyline.protocol.fixtures.Hex;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Seeds;
import org.keyline.protocol.fixtures.Wire;

/**
 * Packets compared with the examples in the protocol's documentation.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html">Client/Server
 *     Protocol</a>
 */
@ExtendWith(LeakCheck.class)
final class PacketsGoldenTest {
    /** Connection phase, HandshakeV10, the example of MySQL 5.6. */
    private static final String GREETING = "0a 35 2e 36 2e 34 2d 6d 37 2d 6c 6f 67 00 56 0a 00 00 52 42 33 76 7a 26 47"
            + " 72 00 ff ff 08 02 00 0f c0 15 00 00 00 00 00 00 00 00 00 00 2b 79 44 26 2f 5a 5a 33 30 35 5a 47 00 6d 79"
            + " 73 71 6c 5f 6e 61 74 69 76 65 5f 70 61 73 73 77 6f 72 64 00";

    /**
     * Connection phase, HandshakeResponse41, with CLIENT_CONNECT_WITH_DB and CLIENT_PLUGIN_AUTH.
     */
    private static final String RESPONSE =
            "8d a6 0f 00 00 00 00 01 08 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
                    + " 00 00 00 00 00 00 70 61 6d 00 14 ab 09 ee f6 bc b1 32 3e 61 14 38 65 c0 99 1d 95 7d 75 d4 47 74 65 73 74"
                    + " 00 6d 79 73 71 6c 5f 6e 61 74 69 76 65 5f 70 61 73 73 77 6f 72 64 00";

    /** The same page, with CLIENT_CONNECT_ATTRS. */
    private static final String RESPONSE_WITH_ATTRIBUTES =
            "85 a2 1e 00 00 00 00 40 08 00 00 00 00 00 00 00 00 00 00 00 00"
                    + " 00 00 00 00 00 00 00 00 00 00 00 72 6f 6f 74 00 14 22 50 79 a2 12 d4 e8 82 e5 b3 f4 1a 97 75 6b c8 be"
                    + " db 9f 80 6d 79 73 71 6c 5f 6e 61 74 69 76 65 5f 70 61 73 73 77 6f 72 64 00 61 03 5f 6f 73 09 64 65 62"
                    + " 69 61 6e 36 2e 30 0c 5f 63 6c 69 65 6e 74 5f 6e 61 6d 65 08 6c 69 62 6d 79 73 71 6c 04 5f 70 69 64 05"
                    + " 32 32 33 34 34 0f 5f 63 6c 69 65 6e 74 5f 76 65 72 73 69 6f 6e 08 35 2e 36 2e 36 2d 6d 39 09 5f 70 6c"
                    + " 61 74 66 6f 72 6d 06 78 38 36 5f 36 34 03 66 6f 6f 03 62 61 72";

    @Test
    void handshakeV10_example_readsAndWritesTheSameBytes() {
        HandshakeV10 greeting = HandshakeV10.decode(Wire.hex(GREETING));
        assertThat(greeting.serverVersion()).isEqualTo("5.6.4-m7-log");
        assertThat(greeting.connectionId()).isEqualTo(2646);
        assertThat(new String(greeting.scramble(), StandardCharsets.US_ASCII)).isEqualTo("RB3vz&Gr+yD&/ZZ305ZG");
        assertThat(greeting.authPlugin()).isEqualTo("mysql_native_password");
        assertThat(greeting.collation()).isEqualTo(Collation.LATIN1_SWEDISH_CI);
        assertThat(Wire.encode(greeting::encode)).isEqualTo(Hex.bytes(GREETING));
    }

    @Test
    void handshakeResponse_example_readsAndWritesTheSameBytes() {
        HandshakeResponse41 response = HandshakeResponse41.decode(Wire.hex(RESPONSE));
        assertThat(response.user()).isEqualTo("pam");
        assertThat(response.database()).isEqualTo("test");
        assertThat(response.authPlugin()).isEqualTo("mysql_native_password");
        assertThat(response.authResponse()).hasSize(20);
        assertThat(Wire.encode(response::encode)).isEqualTo(Hex.bytes(RESPONSE));
    }

    @Test
    void handshakeResponse_attributes_retainTheirOrder() {
        HandshakeResponse41 response = HandshakeResponse41.decode(Wire.hex(RESPONSE_WITH_ATTRIBUTES));
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("_os", "debian6.0");
        expected.put("_client_name", "libmysql");
        expected.put("_pid", "22344");
        expected.put("_client_version", "5.6.6-m9");
        expected.put("_platform", "x86_64");
        expected.put("foo", "bar");
        assertThat(response.attributes()).containsExactlyEntriesOf(expected);
        assertThat(Wire.encode(response::encode)).isEqualTo(Hex.bytes(RESPONSE_WITH_ATTRIBUTES));
    }

    @Test
    void handshakeResponse_cutAnywhere_isReadOrProtocolError() {
        byte[] whole = Hex.bytes(RESPONSE_WITH_ATTRIBUTES);
        for (int length = 0; length < whole.length; length++) {
            ByteBuf cut = Unpooled.wrappedBuffer(whole, 0, length);
            try {
                HandshakeResponse41.decode(cut);
            } catch (ProtocolException expected) {
                assertThat(expected).hasMessageNotContaining("null");
            }
        }
    }

    @Test
    void handshakeResponse_authLengthPastTheEnd_isProtocolError() {
        byte[] bytes = Hex.bytes(RESPONSE);
        bytes[36] = (byte) 0xFF;
        assertThatThrownBy(() -> HandshakeResponse41.decode(Unpooled.wrappedBuffer(bytes)))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void handshakeResponse_before41_isRefused() {
        assertThatThrownBy(() -> HandshakeResponse41.decode(Wire.hex("85 24 00 00 00 6f 6c 64 00")))
                .isInstanceOfSatisfying(
                        ProtocolException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.ER_NOT_SUPPORTED_AUTH_MODE));
    }

    @Test
    void handshakeResponse_random_comesBack() {
        int always = Capabilities.CLIENT_PROTOCOL_41 | Capabilities.CLIENT_SECURE_CONNECTION;
        int optional = Capabilities.CLIENT_CONNECT_WITH_DB
                | Capabilities.CLIENT_PLUGIN_AUTH
                | Capabilities.CLIENT_CONNECT_ATTRS
                | Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA;
        Seeds.tryAll(300, random -> {
            int flags = always | (random.nextInt() & optional);
            boolean attributes = Capabilities.has(flags, Capabilities.CLIENT_CONNECT_ATTRS);
            boolean lenenc = Capabilities.has(flags, Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA);
            HandshakeResponse41 sent = new HandshakeResponse41(
                    flags,
                    random.nextInt(),
                    Collation.UTF8MB4_GENERAL_CI,
                    name(random),
                    Seeds.bytes(random, random.nextInt(lenenc ? 600 : 256)),
                    Capabilities.has(flags, Capabilities.CLIENT_CONNECT_WITH_DB) ? "d" + name(random) : null,
                    Capabilities.has(flags, Capabilities.CLIENT_PLUGIN_AUTH) ? "p" + name(random) : null,
                    attributes ? Map.of("k" + name(random), name(random)) : Map.of());
            assertThat(HandshakeResponse41.decode(Unpooled.wrappedBuffer(Wire.encode(sent::encode))))
                    .usingRecursiveComparison()
                    .isEqualTo(sent);
        });
    }

    private static String name(java.util.Random random) {
        return Seeds.text(random, 20).replace("\0", "");
    }

    @Test
    void changeUser_random_comesBack() {
        int flags = Capabilities.CLIENT_PLUGIN_AUTH | Capabilities.CLIENT_CONNECT_ATTRS;
        ChangeUser sent =
                new ChangeUser("bob", new byte[] {1, 2, 3}, "db", 45, "caching_sha2_password", Map.of("a", "b"));
        byte[] bytes = Wire.encode(out -> sent.encode(out, flags));
        ChangeUser got = ChangeUser.decode(Unpooled.wrappedBuffer(bytes), flags, StandardCharsets.UTF_8);
        assertThat(got).usingRecursiveComparison().isEqualTo(sent);
    }

    @Test
    void authSwitch_withItsNul_comesBack() {
        AuthSwitchRequest sent = new AuthSwitchRequest("mysql_native_password", new byte[20]);
        byte[] bytes = Wire.encode(sent::encode);
        assertThat(bytes).hasSize(1 + 22 + 21).startsWith(0xFE);
        assertThat(AuthSwitchRequest.decode(Unpooled.wrappedBuffer(bytes)).scramble())
                .hasSize(20);
    }

    @Test
    void okEofErr_examples_readAndWriteTheSameBytes() {
        assertThat(Wire.encode(OkPacket.of(ServerStatus.SERVER_STATUS_AUTOCOMMIT)::encode))
                .isEqualTo(Hex.bytes("00 00 00 02 00 00 00"));
        assertThat(Wire.encode(new EofPacket(ServerStatus.SERVER_STATUS_AUTOCOMMIT, 0)::encode))
                .isEqualTo(Hex.bytes("fe 00 00 02 00"));
        String error = "ff 48 04 23 48 59 30 30 30 4e 6f 20 74 61 62 6c 65 73 20 75 73 65 64";
        ErrPacket decoded = ErrPacket.decode(Wire.hex(error));
        assertThat(decoded).isEqualTo(new ErrPacket(1096, "HY000", "No tables used"));
        assertThat(Wire.encode(decoded::encode)).isEqualTo(Hex.bytes(error));
    }

    @Test
    void okAndEof_random_comeBack() {
        Seeds.tryAll(200, random -> {
            OkPacket ok = new OkPacket(
                    Seeds.skewed(random),
                    Seeds.skewed(random),
                    random.nextInt(0x10000),
                    random.nextInt(0x10000),
                    Seeds.text(random, 30));
            assertThat(OkPacket.decode(Unpooled.wrappedBuffer(Wire.encode(ok::encode))))
                    .isEqualTo(ok);
            assertThat(Wire.encode(out -> ok.encode(out, OkPacket.HEADER_AS_EOF)))
                    .startsWith(0xFE);
            EofPacket eof = new EofPacket(random.nextInt(0x10000), random.nextInt(0x10000));
            ByteBuf bytes = Unpooled.wrappedBuffer(Wire.encode(eof::encode));
            assertThat(bytes.readUnsignedByte()).isEqualTo((short) EofPacket.HEADER);
            assertThat(bytes.readUnsignedShortLE()).isEqualTo(eof.warnings());
            assertThat(bytes.readUnsignedShortLE()).isEqualTo(eof.status());
        });
    }

    /** Some servers end the packet after nine bytes. */
    @Test
    void prepareOk_exampleAndShortForm_areRead() {
        String example = "00 01 00 00 00 01 00 02 00 00 00 00";
        PrepareOk decoded = PrepareOk.decode(Wire.hex(example));
        assertThat(decoded).isEqualTo(new PrepareOk(1, 1, 2, 0));
        assertThat(Wire.encode(decoded::encode)).isEqualTo(Hex.bytes(example));
        assertThat(PrepareOk.decode(Wire.hex("00 01 00 00 00 01 00 02 00"))).isEqualTo(decoded);
        assertThat(PrepareOk.decode(Wire.hex("00 01 00 00 00 01 00 02 00 00"))).isEqualTo(decoded);
    }

    @Test
    void columnDefinition_example_readsAndWritesTheSameBytes() {
        String example =
                "03 64 65 66 00 00 00 11 40 40 76 65 72 73 69 6f 6e 5f 63 6f 6d 6d 65 6e 74 00 0c 08 00 1c 00 00"
                        + " 00 fd 00 00 1f 00 00";
        ColumnDefinition decoded = ColumnDefinition.decode(Wire.hex(example));
        assertThat(decoded).isEqualTo(ColumnDefinition.of("@@version_comment", 8, 28, ColumnType.VAR_STRING, 0, 31));
        assertThat(Wire.encode(decoded::encode)).isEqualTo(Hex.bytes(example));
    }

    @Test
    void columnDefinition_random_comesBack() {
        Seeds.tryAll(200, random -> {
            ColumnDefinition sent = new ColumnDefinition(
                    "def",
                    Seeds.text(random, 40),
                    Seeds.text(random, 40),
                    Seeds.text(random, 40),
                    Seeds.text(random, 300),
                    Seeds.text(random, 40),
                    random.nextInt(0x10000),
                    random.nextInt() & 0xFFFF_FFFFL,
                    random.nextInt(256),
                    random.nextInt(0x10000),
                    random.nextInt(256));
            assertThat(ColumnDefinition.decode(Unpooled.wrappedBuffer(Wire.encode(sent::encode))))
                    .isEqualTo(sent);
        });
    }

    @Test
    void sslRequest_isDistinguishedFromAHandshakeResponse() {
        byte[] request = Wire.encode(
                out -> HandshakeResponse41.encodeSslRequest(out, Capabilities.CLIENT_PROTOCOL_41, 1 << 24, 45));
        assertThat(request).hasSize(HandshakeResponse41.FIXED_BYTES);
        assertThat(HandshakeResponse41.isSslRequest(Unpooled.wrappedBuffer(request)))
                .isTrue();
        assertThat(HandshakeResponse41.isSslRequest(Wire.hex(RESPONSE))).isFalse();
    }
}
