package org.keyline.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.keyline.protocol.AuthSwitchRequest;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ChangeUser;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.ProtocolException;

/**
 * Payloads of the connection phase, of either peer: a byte that selects the decoder, then the
 * payload. A decoded UTF-8 payload that is encoded again decodes to the same.
 */
final class HandshakeResponseTarget implements FuzzTarget {
    private static final int CHANGE_USER_CAPABILITIES =
            Capabilities.CLIENT_PLUGIN_AUTH | Capabilities.CLIENT_CONNECT_ATTRS;

    @Override
    public void run(byte[] input) {
        if (input.length < 1) {
            return;
        }
        ByteBuf payload = Unpooled.wrappedBuffer(input, 1, input.length - 1);
        try {
            switch (input[0] & 7) {
                case 0 -> HandshakeV10.decode(payload);
                case 1 -> changeUser(payload);
                case 2 -> AuthSwitchRequest.decode(payload);
                case 3 -> OkPacket.decode(payload);
                case 4 -> ErrPacket.decode(payload);
                case 5 -> PrepareOk.decode(payload);
                default -> response(payload);
            }
        } catch (ProtocolException e) {
            // the expected refusal
            assertThat(e.code()).isNotNull();
        }
    }

    private static void changeUser(ByteBuf payload) {
        if (payload.isReadable()) {
            ChangeUser.decode(payload, CHANGE_USER_CAPABILITIES, StandardCharsets.UTF_8);
        }
    }

    private static void response(ByteBuf payload) {
        HandshakeResponse41 decoded = HandshakeResponse41.decode(payload);
        ByteBuf again = Unpooled.buffer();
        HandshakeResponse41 plain = new HandshakeResponse41(
                decoded.capabilities() | Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA,
                decoded.maxPacketBytes(),
                Collation.UTF8MB4_GENERAL_CI,
                decoded.user(),
                decoded.authResponse(),
                decoded.database(),
                decoded.authPlugin(),
                Map.of());
        plain.encode(again);
        assertThat(HandshakeResponse41.decode(again)).usingRecursiveComparison().isEqualTo(plain);
    }

    @Override
    public List<byte[]> seeds() {
        byte[] scramble = "abcdefghijklmnopqrst".getBytes(StandardCharsets.US_ASCII);
        int all = Capabilities.CLIENT_PROTOCOL_41
                | Capabilities.CLIENT_SECURE_CONNECTION
                | Capabilities.CLIENT_CONNECT_WITH_DB
                | Capabilities.CLIENT_PLUGIN_AUTH
                | Capabilities.CLIENT_CONNECT_ATTRS;
        Map<String, String> attributes = Map.of("_client_name", "test");
        return List.of(
                seed(
                        6,
                        new HandshakeResponse41(
                                all, 1 << 24, 45, "root", scramble, "db", "mysql_native_password", attributes)::encode),
                seed(
                        6,
                        new HandshakeResponse41(
                                all | Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA,
                                1 << 24,
                                255,
                                "ü",
                                new byte[32],
                                null,
                                "caching_sha2_password",
                                attributes)::encode),
                seed(
                        6,
                        new HandshakeResponse41(
                                Capabilities.CLIENT_PROTOCOL_41, 0, 8, "u", scramble, null, null, Map.of())::encode),
                seed(0, new HandshakeV10("8.0.1", 7, scramble, all, 45, 2, "mysql_native_password")::encode),
                seed(
                        1,
                        out -> new ChangeUser("u", scramble, "db", 45, "mysql_native_password", attributes)
                                .encode(out, all)),
                seed(2, new AuthSwitchRequest("caching_sha2_password", scramble)::encode),
                seed(3, new OkPacket(1, 2, 2, 0, "text")::encode),
                seed(4, new ErrPacket(1064, "42000", "text")::encode),
                seed(5, new PrepareOk(1, 2, 3, 4)::encode));
    }

    private static byte[] seed(int decoder, Consumer<ByteBuf> payload) {
        return Bytes.of(out -> {
            out.writeByte(decoder);
            payload.accept(out);
        });
    }
}
