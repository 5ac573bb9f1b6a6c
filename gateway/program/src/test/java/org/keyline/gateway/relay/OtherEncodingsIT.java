package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Writes of clients that do not send UTF-8, whose bytes have another meaning for the store than as
 * UTF-8. Rows that others read from lines, which live for an hour here, are the store's.
 */
class OtherEncodingsIT {
    /** In latin1, this text has the bytes of the former in UTF-8. */
    private static final String SPELLED = "\u00c3\u00a9";

    private static final String READ_AS = "\u00e9";

    /** Characters whose second byte equals a backslash. */
    private static final String GBK = "\u7e17";

    private static final String SHIFT_JIS = "\u30bd";

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        try (Connection straight = DriverManager.getConnection(store.jdbc(""))) {
            for (String schema : new String[] {"encodings", SPELLED, READ_AS}) {
                run(straight, "DROP DATABASE IF EXISTS `" + schema + "`", "CREATE DATABASE `" + schema + "`");
                for (String table : new String[] {"t", SPELLED, READ_AS}) {
                    run(straight, "CREATE TABLE `" + schema + "`.`" + table + "` (id INT PRIMARY KEY, v INT)");
                }
            }
            run(
                    straight,
                    "CREATE TABLE encodings.columns (`" + SPELLED + "` INT, `" + READ_AS + "` INT PRIMARY KEY, v INT)");
        }
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void rows() throws SQLException {
        try (Connection through = through("")) {
            for (String schema : new String[] {"encodings", SPELLED, READ_AS}) {
                for (String table : new String[] {"t", SPELLED, READ_AS}) {
                    run(through, "REPLACE INTO `" + schema + "`.`" + table + "` VALUES (1, 10), (2, 20)");
                }
            }
            run(through, "REPLACE INTO columns VALUES (2, 1, 10), (1, 2, 20)");
        }
    }

    private static Connection through(String parameters) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("encodings") + parameters);
    }

    /** Other clients see the writes of statements in another encoding than UTF-8. */
    private static void isSeen(String encoding, String select, String... statements) throws SQLException {
        try (Connection reader = through("");
                Connection writer = through("&allowMultiQueries=true&characterEncoding=" + encoding)) {
            warm(reader, select);
            run(writer, statements);
            assertThat(one(reader, select)).isEqualTo("99");
        }
    }

    @ParameterizedTest
    @CsvSource({"GBK, " + GBK, "windows-31j, " + SHIFT_JIS})
    void stringThatEndsElsewhere_isSeen(String encoding, String character) throws SQLException {
        String string = "'" + character + "'";
        isSeen(
                encoding,
                "SELECT v FROM t WHERE id = 1",
                "UPDATE t SET v = 99 WHERE " + string + " <> '' AND id = 1 -- ' = v AND id = 2");
        isSeen(
                encoding,
                "SELECT v FROM t WHERE id = 2",
                "SELECT " + string + "; UPDATE t SET v = 99 WHERE id = 2; -- '");
    }

    @Test
    void nameOfAnotherTable_isSeen() throws SQLException {
        isSeen(
                "cp1252",
                "SELECT v FROM `" + SPELLED + "` WHERE id = 1",
                "UPDATE `" + SPELLED + "` SET v = 99 WHERE id = 1");
        isSeen(
                "cp1252",
                "SELECT v FROM `" + SPELLED + "`.t WHERE id = 1",
                "UPDATE `" + SPELLED + "`.t SET v = 99 WHERE id = 1");
    }

    @Test
    void nameOfAnotherColumn_isSeen() throws SQLException {
        isSeen(
                "cp1252",
                "SELECT v FROM columns WHERE `" + READ_AS + "` = 2",
                "UPDATE columns SET v = 99 WHERE `" + SPELLED + "` = 1");
    }

    @Test
    void nameOfAnotherSchema_isSeen() throws SQLException {
        isSeen(
                "cp1252",
                "SELECT v FROM `" + SPELLED + "`.t WHERE id = 2",
                "USE `" + SPELLED + "`",
                "SELECT 1",
                "UPDATE t SET v = 99 WHERE id = 2");
        try (Connection reader = through("");
                Connection writer = through("&characterEncoding=cp1252")) {
            String select = "SELECT v FROM `" + SPELLED + "`.t WHERE id = 1";
            warm(reader, select);
            writer.setCatalog(SPELLED);
            run(writer, "UPDATE t SET v = 99 WHERE id = 1");
            assertThat(one(reader, select)).isEqualTo("99");
        }
    }
}
