package org.keyline.stores.duckdb;

import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * A store in memory for the tests of a class, with an empty database {@code d} and a connection to
 * it for each test.
 */
abstract class FreshDatabase {
    static StoreServer server;

    Connection connection;

    private final String parameters;

    FreshDatabase() {
        this("");
    }

    /** @param parameters of the connection's URL, each with a {@code &} before it */
    FreshDatabase(String parameters) {
        this.parameters = parameters;
    }

    @BeforeAll
    static void start() {
        server = StoreServer.inMemory();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void freshDatabase() throws SQLException {
        try (Connection admin = server.connect(null)) {
            run(admin, "DROP DATABASE IF EXISTS d");
            run(admin, "CREATE DATABASE d");
        }
        connection = server.connect("d", parameters);
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }
}
