package org.keyline.stores.duckdb;

import java.util.ArrayList;
import java.util.List;

/**
 * The sample data: the schema {@code demo} with tables as Doris users declare them and a few fixed
 * rows, and an empty {@code ycsb.usertable}. The statements are ordinary SQL for any session.
 * Running them again changes nothing.
 */
public final class Demo {
    private static final int USERS = 100;
    private static final int GRAPHS = 3;
    private static final int VERTICES = 10;
    private static final int ORDERS_PER_USER = 5;
    private static final int ROWS_PER_INSERT = 250;
    private static final List<String> CITIES = List.of("Lisboa", "Zürich", "北京", "São Paulo", "Kraków", "Oslo");

    private Demo() {}

    /** Returns the statements in the order in which they must run. */
    public static List<String> statements() {
        List<String> statements = new ArrayList<>(List.of(
                "CREATE DATABASE IF NOT EXISTS demo",
                "CREATE DATABASE IF NOT EXISTS ycsb",
                """
                CREATE TABLE IF NOT EXISTS demo.users (
                  user_id BIGINT NOT NULL COMMENT "who",
                  name VARCHAR(64) NOT NULL,
                  city VARCHAR(64),
                  balance DECIMAL(12,2) NOT NULL DEFAULT "0",
                  active BOOLEAN NOT NULL DEFAULT "1",
                  registered DATETIME NOT NULL
                ) ENGINE=OLAP
                UNIQUE KEY(user_id)
                COMMENT "people"
                DISTRIBUTED BY HASH(user_id) BUCKETS 4
                PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true",
                  "light_schema_change" = "true", "store_row_column" = "true")
                """,
                """
                CREATE TABLE IF NOT EXISTS demo.vertices (
                  user_id BIGINT NOT NULL,
                  graph_id INT NOT NULL,
                  vertex_id BIGINT NOT NULL,
                  label VARCHAR(32) NOT NULL,
                  weight DOUBLE NOT NULL,
                  updated DATETIME(3) NOT NULL
                ) ENGINE=OLAP
                UNIQUE KEY(user_id, graph_id, vertex_id)
                COMMENT "vertices of the users' graphs: one prefix holds a neighbourhood"
                DISTRIBUTED BY HASH(user_id) BUCKETS 4
                PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true",
                  "light_schema_change" = "true", "store_row_column" = "true")
                """,
                """
                CREATE TABLE IF NOT EXISTS demo.orders (
                  user_id BIGINT NOT NULL,
                  order_id INT NOT NULL,
                  item VARCHAR(64) NOT NULL,
                  amount DECIMAL(10,2) NOT NULL,
                  ordered DATE NOT NULL
                ) ENGINE=OLAP
                UNIQUE KEY(user_id, order_id)
                DISTRIBUTED BY HASH(user_id) BUCKETS 4
                PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true",
                  "light_schema_change" = "true", "store_row_column" = "true")
                """,
                usertable()));
        insert("demo.users", users(), statements);
        insert("demo.vertices", vertices(), statements);
        insert("demo.orders", orders(), statements);
        return statements;
    }

    private static void insert(String table, List<String> rows, List<String> statements) {
        for (int from = 0; from < rows.size(); from += ROWS_PER_INSERT) {
            List<String> some = rows.subList(from, Math.min(rows.size(), from + ROWS_PER_INSERT));
            statements.add("INSERT INTO " + table + " VALUES " + String.join(", ", some));
        }
    }

    private static String usertable() {
        StringBuilder text = new StringBuilder("CREATE TABLE IF NOT EXISTS ycsb.usertable (\n  YCSB_KEY varchar(255)");
        for (int field = 0; field < 10; field++) {
            text.append(",\n  FIELD").append(field).append(" text");
        }
        return text.append("""

                        ) ENGINE=OLAP
                        UNIQUE KEY(YCSB_KEY)
                        COMMENT "OLAP"
                        DISTRIBUTED BY HASH(YCSB_KEY) BUCKETS 16
                        PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true",
                          "light_schema_change" = "true", "store_row_column" = "true")
                        """).toString();
    }

    private static List<String> users() {
        List<String> rows = new ArrayList<>();
        for (int user = 1; user <= USERS; user++) {
            rows.add("(%d, 'user %d', %s, %d.%02d, %d, '2024-%02d-%02d %02d:00:00')"
                    .formatted(
                            user,
                            user,
                            user % 10 == 0 ? "NULL" : "'" + CITIES.get(user % CITIES.size()) + "'",
                            user * 37 % 1000,
                            user % 100,
                            user % 7 == 0 ? 0 : 1,
                            user % 12 + 1,
                            user % 28 + 1,
                            user % 24));
        }
        return rows;
    }

    private static List<String> vertices() {
        List<String> rows = new ArrayList<>();
        for (int user = 1; user <= USERS; user++) {
            for (int graph = 1; graph <= GRAPHS; graph++) {
                for (int vertex = 1; vertex <= VERTICES; vertex++) {
                    rows.add("(%d, %d, %d, 'v%d', %d.%d, '2024-01-%02d 00:00:00.%03d')"
                            .formatted(
                                    user, graph, vertex, vertex, user % 50, vertex % 10, vertex, user * graph % 1000));
                }
            }
        }
        return rows;
    }

    private static List<String> orders() {
        List<String> rows = new ArrayList<>();
        for (int user = 1; user <= USERS; user++) {
            for (int order = 1; order <= ORDERS_PER_USER; order++) {
                rows.add("(%d, %d, 'item %d', %d.%02d, '2024-%02d-%02d')"
                        .formatted(
                                user,
                                order,
                                (user * order) % 20,
                                (user + order) * 3 % 500,
                                order * 11 % 100,
                                order % 12 + 1,
                                user % 28 + 1));
            }
        }
        return rows;
    }
}
