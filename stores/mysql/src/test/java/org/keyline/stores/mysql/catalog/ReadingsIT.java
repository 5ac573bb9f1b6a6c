package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.planner.TableName;

/** When all tables are read again, by what a real MariaDB tells of statements that are under way. */
final class ReadingsIT {
    private static final TableName T = new TableName("rounds", "t");

    private MariaDbAdmin admin;
    private StoreConnection connection;

    private final Readings readings = new Readings(StoreReader.of(Dialect.MARIADB), Duration.ofSeconds(5));

    @BeforeEach
    void open() throws Exception {
        admin = new MariaDbAdmin();
        admin.run(
                "CREATE OR REPLACE DATABASE rounds",
                "CREATE TABLE rounds.t (k int PRIMARY KEY, v int)",
                "CREATE OR REPLACE USER sees_no_process IDENTIFIED BY 'secret'",
                "GRANT SELECT, TRIGGER ON *.* TO sees_no_process");
        connection = StoreConnection.open(MariaDbAdmin.options());
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        admin.run("DROP DATABASE rounds", "DROP USER sees_no_process");
        admin.close();
    }

    @Test
    void all_whileNothingIsUnderWay_isTheLastReadingOfADefinition() throws Exception {
        settles();
        admin.run("ALTER TABLE rounds.t ADD COLUMN w int");
        assertThat(readings.isDue(connection.rows())).isTrue();
        settles();
    }

    /** It was counted when it began, and has its effect when the reader of the table is done. */
    @Test
    void all_whileADefinitionWaits_isFollowedByOthersUntilItsEffectIsRead() throws Exception {
        settles();
        try (MariaDbAdmin reader = new MariaDbAdmin()) {
            reader.run("START TRANSACTION", "SELECT * FROM rounds.t");
            long before = altered();
            CompletableFuture<Void> alter = CompletableFuture.runAsync(() -> {
                try (MariaDbAdmin other = new MariaDbAdmin()) {
                    other.run("ALTER TABLE rounds.t ADD COLUMN w int");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            await().atMost(1, TimeUnit.MINUTES).until(() -> altered() > before);
            for (int i = 0; i < 5; i++) {
                var unused = read();
                assertThat(readings.areRepeated()).isTrue();
            }
            reader.run("COMMIT");
            alter.get(1, TimeUnit.MINUTES);
        }
        assertThat(readings.areRepeated()).isTrue();
        Snapshot seen = requireNonNull(read());
        assertThat(requireNonNull(seen.table(T.schema(), T.table())).toString()).contains("w");
        settles();
    }

    /** Whose list has its own sessions only, by which nothing is proved. */
    @Test
    void underWay_toAnAccountThatDoesNotSeeOthers_isUnknown() throws Exception {
        CatalogOptions options = CatalogOptions.of("127.0.0.1", MariaDbAdmin.port(), "sees_no_process", "secret");
        try (StoreConnection blind = StoreConnection.open(options)) {
            assertThat(StoreReader.of(Dialect.MARIADB).mayBeUnderWay(blind.rows()))
                    .isTrue();
        }
    }

    /** Other tests' sessions may be busy for a moment. */
    private void settles() {
        await().atMost(2, TimeUnit.MINUTES).until(() -> {
            var unused = read();
            return !readings.areRepeated() && !readings.isDue(connection.rows());
        });
    }

    private @Nullable Snapshot read() throws ReadFailure {
        return readings.all(connection.rows(), false, StoreReader.Interlude.NONE);
    }

    private long altered() throws SQLException {
        return Long.parseLong(
                admin.column("SHOW GLOBAL STATUS LIKE 'Com\\_alter\\_table'", 2).get(0));
    }
}
