package org.keyline.gateway.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.protocol.fixtures.MariaDbServer;

/** Sessions in latin1, by the handshake and by SET NAMES, write and read as with MariaDB. */
final class CharacterSetIT {
    private static final Charset CP1252 = Charset.forName("windows-1252");

    private BothServers servers;

    @BeforeEach
    void start() throws Exception {
        servers = new BothServers();
        servers.run("CREATE TABLE d.t (k INT PRIMARY KEY, s VARCHAR(300)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin");
        servers.run("CREATE TABLE d.u (k INT PRIMARY KEY, b VARBINARY(300))");
        servers.run("INSERT INTO d.t VALUES (1, 'é€ÿ'), (2, '漢😀'), (3, 'plain')");
        servers.runOnMariaDb("CREATE USER IF NOT EXISTS latin@'127.0.0.1' IDENTIFIED BY 'latin'");
        servers.runOnMariaDb("GRANT ALL ON *.* TO latin@'127.0.0.1'");
    }

    @AfterEach
    void stop() throws Exception {
        servers.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "characterEncoding=Cp1252&useServerPrepStmts=false",
                "characterEncoding=Cp1252&useServerPrepStmts=true",
                "characterEncoding=ISO8859_1&useServerPrepStmts=true",
                "characterEncoding=UTF-8&characterSetResults=latin1&useServerPrepStmts=true",
                "characterEncoding=UTF-8&connectionCollation=latin1_swedish_ci",
            })
    void connectorJ_inLatin1_writesAndReadsAsWithMariaDb(String parameters) throws SQLException {
        String gateway = servers.gateway().address().toString();
        List<String> actual = jdbc("jdbc:mysql://" + gateway + "/d?" + parameters, "root", "");
        String mariaDb = "127.0.0.1:" + MariaDbServer.get().address().getPort();
        List<String> expected = jdbc("jdbc:mysql://" + mariaDb + "/d?" + parameters, "latin", "latin");
        assertThat(actual).isEqualTo(expected);
        for (String sql : List.of("SELECT k, HEX(s) FROM d.t ORDER BY k", "SELECT k, HEX(b) FROM d.u ORDER BY k")) {
            assertThat(servers.ofStore(sql)).isEqualTo(servers.ofMariaDb(sql));
        }
    }

    private static List<String> jdbc(String url, String user, String password) throws SQLException {
        List<String> seen = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(
                        url + "&sslMode=DISABLED&allowPublicKeyRetrieval=true", user, password);
                Statement statement = connection.createStatement()) {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t VALUES (?, ?)")) {
                insert.setInt(1, 10);
                insert.setString(2, "Ä'\\ß");
                insert.executeUpdate();
            }
            statement.executeUpdate("INSERT INTO t VALUES (11, 'naïve'), (12, _utf8mb4'abc')");
            statement.executeUpdate("INSERT INTO u VALUES (13, x'E9FF'), (14, _binary'plain')");
            try (PreparedStatement select = connection.prepareStatement("SELECT k, s FROM t WHERE s <> ? ORDER BY k")) {
                select.setString(1, "naïve");
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        seen.add(rows.getInt(1) + " " + rows.getString(2));
                    }
                }
            }
            try (ResultSet rows = statement.executeQuery("SELECT 'é' AS u, CHAR_LENGTH('éà')")) {
                rows.next();
                seen.add(rows.getString(1) + rows.getInt(2));
            }
        }
        return seen;
    }

    @Test
    void text_inLatin1BesideABinaryColumn_isRefused() throws SQLException {
        String url = "jdbc:mysql://" + servers.gateway().address()
                + "/d?characterEncoding=Cp1252&useServerPrepStmts=true&sslMode=DISABLED";
        try (Connection connection = DriverManager.getConnection(url, "root", "");
                PreparedStatement insert = connection.prepareStatement("INSERT INTO u VALUES (1, ?)")) {
            insert.setBytes(1, new byte[] {(byte) 0xE9});
            assertThatThrownBy(insert::executeUpdate)
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).as(e.getMessage()).isEqualTo(1235));
        }
        assertThat(servers.ofStore("SELECT * FROM d.u").rows()).isEmpty();
    }

    /** Raw bytes, including those without a character in windows-1252. */
    @Test
    void pymysql_inLatin1_writesAndReadsAsWithMariaDb() throws Exception {
        String script = """
                import pymysql, sys
                c = pymysql.connect(host='127.0.0.1', port=int(sys.argv[1]), user=sys.argv[2], password=sys.argv[3],
                                    database='d', charset='latin1', binary_prefix=True, autocommit=True)
                with c.cursor() as cursor:
                    cursor.execute('SELECT @@character_set_client, @@character_set_results')
                    print(cursor.fetchall())
                    cursor.execute('INSERT INTO t VALUES (20, %s)', ('caf\\u00e9',))
                    cursor.execute('INSERT INTO u VALUES (20, %s)', (bytes(range(256)),))
                    cursor.execute('SELECT k, s, HEX(s) FROM t ORDER BY k')
                    print(ascii(cursor.fetchall()))
                    cursor.execute('SELECT k, b, HEX(b) FROM u ORDER BY k')
                    print(ascii(cursor.fetchall()))
                    cursor.execute('SELECT k FROM t WHERE s = %s', ('caf\\u00e9',))
                    print(cursor.fetchall())
                    cursor.execute("SET NAMES utf8mb4")
                    cursor.execute("SELECT HEX(s) FROM t WHERE k = 20")
                    print(cursor.fetchall())
                """;
        ClientProcess.assumePython("pymysql");
        String actual = ClientProcess.python(
                script, Integer.toString(servers.gateway().address().port()), "root", "");
        String expected = ClientProcess.python(
                script, Integer.toString(MariaDbServer.get().address().getPort()), "latin", "latin");
        assertThat(actual).isEqualTo(expected).contains("20, ");
    }

    @Test
    void mysql_inLatin1_writesAndReadsAsWithMariaDb() throws Exception {
        ByteList session = new ByteList();
        session.add("INSERT INTO t VALUES (30, '", StandardCharsets.US_ASCII);
        for (int b = 0x80; b <= 0xFF; b++) {
            session.add((byte) b);
        }
        session.add("');\nINSERT INTO u VALUES (30, _binary'\u00e9');\n", CP1252);
        session.add("SELECT k, s, HEX(s) FROM t ORDER BY k;\nSELECT k, HEX(b) FROM u;\n", CP1252);
        session.add("SELECT nosuch FROM t;\nSELECT 'still here';\n", CP1252);
        byte[] actual = ClientProcess.mysql(
                servers.gateway().address().port(),
                "root",
                "",
                session.bytes(),
                "--default-character-set=latin1",
                "-f",
                "d");
        byte[] expected = ClientProcess.mysql(
                MariaDbServer.get().address().getPort(),
                "latin",
                "latin",
                session.bytes(),
                "--default-character-set=latin1",
                "-f",
                "d");
        assertThat(readable(actual)).isEqualTo(readable(expected)).contains("3\tplain");
    }

    /**
     * Returns every byte as a character; of an error without its text, which differs between
     * servers.
     */
    private static String readable(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("(?m)^ERROR (\\d+).*$", "ERROR $1");
    }

    private static final class ByteList {
        private final java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();

        void add(String text, Charset charset) {
            out.writeBytes(text.getBytes(charset));
        }

        void add(byte b) {
            out.write(b);
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }
}
