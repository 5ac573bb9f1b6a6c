package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.io.IOException;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * A session about which the gateway has a wrong belief: on its way to the store, a harmless
 * statement becomes a SET. Its replies must become neither templates nor lines for other sessions,
 * which get the same packets as without the gateway.
 */
class SecondLockIT {
    /** The statement that the gateway forwards; the store receives one of the same length. */
    private static final String HARMLESS = "DO 'this is the statement that changes the character set'";

    private static final String KEY = "\u00e9";

    private static MariaDb store;
    private static TcpProxy between;
    private static RelayGateway gateway;
    private static int shapes;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        between = new TcpProxy(store.address());
        gateway = RelayGateway.start(store, "store.url=mysql://127.0.0.1:" + between.port());
        store.run(
                "DROP DATABASE IF EXISTS locked",
                "CREATE DATABASE locked CHARACTER SET utf8mb4",
                "CREATE TABLE locked.t (k VARCHAR(20) COLLATE utf8mb4_bin PRIMARY KEY, v VARCHAR(40), j JSON, e ENUM('\u00e4'))",
                "CREATE TABLE locked.n (k INT PRIMARY KEY, v VARCHAR(40), `\u00fc` INT)",
                "INSERT INTO locked.t VALUES ('" + KEY + "', 'gr\u00f6\u00dfe', '{\"a\": \"\u00e4\"}', '\u00e4')",
                "INSERT INTO locked.n VALUES (1, 'gr\u00f6\u00dfe', 7), (2, 'x', 8)");
        try (Connection through = gateway.connect("locked")) {
            warm(through, "SELECT v FROM t WHERE k = 'x'");
            warm(through, "SELECT v FROM n WHERE k = 2");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        gateway.close();
        between.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET NAMES latin1",
                "SET NAMES binary",
                "SET NAMES utf8mb3",
                "SET NAMES utf16",
                "SET character_set_results = latin1",
                "SET character_set_results = binary",
                "SET character_set_results = gbk",
                "SET character_set_results = NULL"
            })
    void sessionThatIsNotWhatItIsTakenFor_teachesNobody(String set) throws Exception {
        if (MariaDb.isMySql() && set.contains("utf16")) {
            return;
        }
        for (boolean known : new boolean[] {false, true}) {
            for (String table : new String[] {"t", "n"}) {
                String key = table.equals("t") ? "'" + KEY + "'" : "1";
                for (String columns : new String[] {"*", "k, v", "`\u00fc`, k"}) {
                    if (columns.contains("\u00fc") && table.equals("t")) {
                        continue;
                    }
                    String shape = "SELECT " + columns + " FROM " + table + " AS a" + shapes++ + " WHERE k = ";
                    compare(set, shape, key, known);
                }
            }
        }
    }

    /** @param known whether the gateway has a template for the statement from another session */
    private static void compare(String set, String shape, String key, boolean known) throws Exception {
        try (Twins wrong = open();
                Twins other = open()) {
            if (known) {
                read(other, shape, key);
            }
            wrong.throughOnly("SELECT v FROM n WHERE k = 2");
            AtomicBoolean rewritten = new AtomicBoolean();
            between.rewrite(text -> {
                if (text.contains(HARMLESS)) {
                    rewritten.set(true);
                }
                return text.replace(HARMLESS, set + " ".repeat(HARMLESS.length() - set.length()));
            });
            wrong.throughOnly(HARMLESS);
            assertThat(rewritten).isTrue();
            for (int i = 0; i < 3; i++) {
                wrong.throughOnly("SELECT v FROM n WHERE k = 2");
                wrong.throughOnly(shape + key);
                wrong.executeThroughOnly(
                        wrong.prepareThroughOnly(shape + "?"), new StatementArguments().addText(key.replace("'", "")));
            }
            int fromLines = 0;
            for (int i = 0; i < 4; i++) {
                read(other, shape, key);
                fromLines += other.readable("KEYLINE LAST").contains("line") ? 1 : 0;
            }
            assertThat(fromLines).isPositive();
            try (Twins later = open()) {
                read(later, shape, key);
            }
        }
    }

    private static void read(Twins twins, String shape, String key) throws Exception {
        twins.query(shape + key);
        Twins.Statement prepared = twins.prepare(shape + "?");
        twins.execute(prepared, new StatementArguments().addText(key.replace("'", "")), shape);
        twins.query(shape + key);
    }

    private static Twins open() throws Exception {
        ClientOptions options = ClientOptions.of("127.0.0.1", 1, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .database("locked")
                .build();
        return new Twins(store, gateway.port(), options);
    }
}
