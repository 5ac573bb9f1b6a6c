package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.differential.Answer;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;

/**
 * A client's PREPARE directly after another client's acknowledged statement, which changes the
 * table without showing it in its text.
 */
final class PreparedDefinitionsIT {
    private static final int ROUNDS = 40;
    private static final String READ = "SELECT * FROM defined.t WHERE id = ?";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "EXECUTE IMMEDIATE 'ALTER TABLE defined.t DROP COLUMN w'",
                "CALL routines.narrow()",
            })
    void prepare_behindAnUnnamedDefinition_isTheNewTables(String change) throws Exception {
        MariaDb store = MariaDb.get("second");
        try (RelayGateway gateway = RelayGateway.start(store);
                Connection changes = DriverManager.getConnection(gateway.jdbc(""));
                RawClient prepares = new RawClient(ClientOptions.of("127.0.0.1", gateway.port(), MariaDb.USER)
                        .password(MariaDb.PASSWORD)
                        .build())) {
            run(
                    changes,
                    "CREATE OR REPLACE DATABASE routines",
                    "CREATE PROCEDURE routines.narrow() ALTER TABLE defined.t DROP COLUMN w");
            for (int round = 0; round < ROUNDS; round++) {
                define(changes);
                // The gateway knows the reply as soon as it knows the new table.
                soon("the reply").until(() -> {
                    Answer answer = prepare(prepares);
                    return !answer.isError() && columns(answer) == 3 && isKnown(prepares);
                });
                run(changes, change);
                Answer behind = prepare(prepares);
                assertThat(columns(behind)).as("round %d", round).isEqualTo(2);
            }
        }
    }

    private static void define(Connection changes) throws SQLException {
        run(
                changes,
                "CREATE OR REPLACE DATABASE defined",
                "CREATE TABLE defined.t (id INT PRIMARY KEY, v INT, w INT)",
                "INSERT INTO defined.t VALUES (1, 1, 1)");
    }

    /** Returns whether a line answers, which shows that the table has been read. */
    private static boolean isKnown(RawClient client) throws Exception {
        client.query("SELECT * FROM defined.t WHERE id = 1");
        return client.query("KEYLINE LAST").packets().stream().anyMatch(packet -> packet.contains("046c696e65"));
    }

    private static Answer prepare(RawClient client) throws Exception {
        return client.send(Unpooled.wrappedBuffer(
                new byte[] {CommandCode.COM_STMT_PREPARE}, READ.getBytes(StandardCharsets.UTF_8)));
    }

    private static int columns(Answer prepared) {
        String hex = prepared.packets().get(0).substring(18, 22);
        return Integer.parseInt(hex.substring(2) + hex.substring(0, 2), 16);
    }
}
