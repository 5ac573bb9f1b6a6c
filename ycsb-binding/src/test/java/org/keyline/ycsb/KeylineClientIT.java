package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.ByteIterator;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/** The binding against a real server, with both drivers. */
@SuppressWarnings({"JdkObsolete", "NonApiType"}) // the types are those of YCSB
final class KeylineClientIT {
    private static final String TABLE = "usertable";

    private final KeylineClient client = new KeylineClient();

    private void open(String driver) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("db.url", MariaDb.url(driver, "binding_" + driver));
        properties.setProperty("ddl", "mysql");
        properties.setProperty("drop", "true");
        properties.setProperty("fieldcount", "3");
        Ycsb.createTable(properties);
        client.setProperties(properties);
        client.init();
    }

    @AfterEach
    void cleanup() throws Exception {
        client.cleanup();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void read_insertedRow_isWhatWasWritten(String driver) throws Exception {
        open(driver);
        Map<String, String> row = Map.of("field0", "O'Neil \\ \"x\"", "field1", "", "field2", "\uD83D\uDD11");

        assertThat(client.insert(TABLE, "k'1", values(row))).isEqualTo(Status.OK);

        assertThat(read("k'1", null)).isEqualTo(row);
        assertThat(read("k'1", Set.of("field2"))).isEqualTo(Map.of("field2", "\uD83D\uDD11"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void update_existingRow_changesTheFieldsNamed(String driver) throws Exception {
        open(driver);
        client.insert(TABLE, "k", values(Map.of("field0", "a", "field1", "b", "field2", "c")));

        assertThat(client.update(TABLE, "k", values(Map.of("field1", "B")))).isEqualTo(Status.OK);
        assertThat(client.update(TABLE, "k", values(Map.of("field1", "B"))))
                .as("the same values once more")
                .isEqualTo(Status.OK);

        assertThat(read("k", null)).isEqualTo(Map.of("field0", "a", "field1", "B", "field2", "c"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void scan_fromAKey_isOrderedAndBounded(String driver) throws Exception {
        open(driver);
        for (String key : new String[] {"d", "a", "c", "b"}) {
            client.insert(TABLE, key, values(Map.of("field0", key)));
        }
        Vector<HashMap<String, ByteIterator>> rows = new Vector<>();

        assertThat(client.scan(TABLE, "b", 2, Set.of("field0"), rows)).isEqualTo(Status.OK);

        assertThat(rows).extracting(row -> String.valueOf(row.get("field0"))).containsExactly("b", "c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void absentKey_isNotFound(String driver) throws Exception {
        open(driver);
        assertThat(client.read(TABLE, "none", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
        assertThat(client.update(TABLE, "none", values(Map.of("field0", "x")))).isEqualTo(Status.NOT_FOUND);
        assertThat(client.delete(TABLE, "none")).isEqualTo(Status.NOT_FOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void delete_existingRow_removesIt(String driver) throws Exception {
        open(driver);
        client.insert(TABLE, "k", values(Map.of("field0", "a")));

        assertThat(client.delete(TABLE, "k")).isEqualTo(Status.OK);

        assertThat(client.read(TABLE, "k", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void failures_haveTheirStatus(String driver) throws Exception {
        open(driver);
        client.insert(TABLE, "k", values(Map.of("field0", "a")));

        assertThat(client.insert(TABLE, "k", values(Map.of("field0", "a")))).isEqualTo(Status.ERROR);
        assertThat(client.read("missing", "k", null, new HashMap<>())).isEqualTo(Status.BAD_REQUEST);
        assertThatThrownBy(() -> client.read("user table", "k", null, new HashMap<>()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private Map<String, String> read(String key, @Nullable Set<String> fields) {
        Map<String, ByteIterator> result = new HashMap<>();
        assertThat(client.read(TABLE, key, fields, result)).isEqualTo(Status.OK);
        return result.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, field -> field.getValue().toString()));
    }

    private static Map<String, ByteIterator> values(Map<String, String> row) {
        return new HashMap<>(row.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, field -> new StringByteIterator(field.getValue()))));
    }
}
