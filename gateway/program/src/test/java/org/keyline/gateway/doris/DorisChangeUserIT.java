package org.keyline.gateway.doris;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.doris.LiveDoris.run;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.fixtures.RawClient;
import org.keyline.protocol.fixtures.Wire;

/**
 * COM_CHANGE_USER to a real Doris frontend, directly and through the gateway: the same packets, and
 * the same rights afterwards. {@code -Dkeyline.doris=HOST:PORT} names the frontend.
 */
@EnabledIfSystemProperty(named = "keyline.doris", matches = ".+")
final class DorisChangeUserIT {
    private static final int FLAGS =
            RawClient.FLAGS & ~(Capabilities.CLIENT_CONNECT_WITH_DB | Capabilities.CLIENT_CONNECT_ATTRS);

    private static LiveDoris live;

    @BeforeAll
    static void start() throws Exception {
        live = new LiveDoris();
        run(live.straight(), "DROP USER IF EXISTS 'keyline_open'@'%'");
        run(live.straight(), "CREATE USER 'keyline_open'@'%'");
        live.table("closed", "hidden");
        run(live.straight(), "GRANT SELECT_PRIV ON keyline.items TO 'keyline_open'@'%'");
    }

    @AfterAll
    static void stop() throws Exception {
        live.close();
    }

    @ParameterizedTest
    @CsvSource({
        "keyline_app,pw",
        "keyline_open,''",
        "keyline_app,wrong",
        "keyline_app,''",
        "nobody,pw",
        "root,''",
        "admin,pw"
    })
    void changeOfUser_isAnsweredAsStraight(String user, String password) throws Exception {
        List<String> expected = changes(LiveDoris.ADDRESS, user, password);
        // The second reads are answered from lines.
        for (int i = 0; i < 2; i++) {
            assertThat(changes("127.0.0.1:" + live.port(), user, password)).isEqualTo(expected);
        }
    }

    /** Returns the replies of the change, and of reads after it. */
    private static List<String> changes(String address, String user, String password) throws IOException {
        List<String> told = new ArrayList<>();
        String[] parts = address.split(":", 2);
        try (RawClient client = new RawClient(new InetSocketAddress(parts[0], Integer.parseInt(parts[1])))) {
            List<Wire.Packet> login = client.login("keyline_app", "pw", FLAGS, 0);
            byte[] scramble = HandshakeV10.decode(login.get(0).buffer()).scramble();
            for (String schema : List.of("keyline", "", "nosuch")) {
                client.write(0, changeUser(user, RawClient.proof(password, scramble), schema));
                Wire.Packet packet = client.read();
                told.add("change to " + schema + ": " + text(packet));
                if (packet.header() == 0xFE) {
                    client.write(packet.sequenceId() + 1, new byte[0]);
                    told.add(text(client.read()));
                }
                for (String sql : List.of(
                        "SELECT CURRENT_USER(), DATABASE()",
                        "SELECT v FROM keyline.items WHERE k = 1",
                        "SELECT v FROM items WHERE k = 1",
                        "SELECT v FROM keyline.closed WHERE k = 1",
                        "SHOW VARIABLES LIKE 'query_timeout'",
                        "SET query_timeout = 77")) {
                    for (Wire.Packet each : client.exchange(RawClient.query(sql))) {
                        told.add(sql + ": " + text(each));
                    }
                }
            }
        }
        return told;
    }

    private static byte[] changeUser(String user, byte[] proof, String schema) {
        ByteBuf change = Unpooled.buffer().writeByte(CommandCode.COM_CHANGE_USER);
        change.writeCharSequence(user + "\0", StandardCharsets.UTF_8);
        change.writeByte(proof.length).writeBytes(proof);
        change.writeCharSequence(schema + "\0", StandardCharsets.UTF_8);
        change.writeShortLE(Collation.UTF8MB4_GENERAL_CI);
        change.writeCharSequence("mysql_native_password\0", StandardCharsets.UTF_8);
        return ByteBufUtil.getBytes(change);
    }

    private static String text(Wire.Packet packet) {
        return packet.sequenceId() + " " + HexFormat.of().formatHex(packet.payload()) + " "
                + new String(packet.payload(), StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", ".");
    }
}
