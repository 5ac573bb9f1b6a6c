package org.keyline.ycsb;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** CREATE TABLE statements of the workloads. */
enum Ddl {
    /** For Doris and the embedded store, with Doris's published properties for point queries. */
    DORIS {
        @Override
        String table(String name, String columns, String key, String bucketedBy) {
            return """
                    CREATE TABLE IF NOT EXISTS %s (
                    %s
                    ) ENGINE=OLAP
                    UNIQUE KEY(%s)
                    COMMENT 'OLAP'
                    DISTRIBUTED BY HASH(%s) BUCKETS 16
                    PROPERTIES (
                    "replication_allocation" = "tag.location.default: 1",
                    "enable_unique_key_merge_on_write" = "true",
                    "light_schema_change" = "true",
                    "store_row_column" = "true"
                    )""".formatted(name, columns, key, bucketedBy);
        }
    },

    /** For MySQL and MariaDB. The binary collation distinguishes keys that differ only in case. */
    MYSQL {
        @Override
        String table(String name, String columns, String key, String bucketedBy) {
            return """
                    CREATE TABLE IF NOT EXISTS %s (
                    %s,
                    PRIMARY KEY (%s)
                    ) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin""".formatted(name, columns, key);
        }
    };

    abstract String table(String name, String columns, String key, String bucketedBy);

    String usertable(String table, String keyColumn, int fields) {
        String key = Identifiers.quoted(keyColumn);
        String columns = IntStream.range(0, fields)
                .mapToObj(i -> "  `FIELD" + i + "` text NULL")
                .collect(Collectors.joining(",\n", "  " + key + " varchar(255) NOT NULL,\n", ""));
        return table(Identifiers.quoted(table), columns, key, key);
    }

    String strategyTable(String table, int payloadLength) {
        String columns = """
                  `user_id` bigint NOT NULL,
                  `graph_id` bigint NOT NULL,
                  `vertex_id` bigint NOT NULL,
                  `revision` bigint NOT NULL,
                  `payload` varchar(%d) NOT NULL""".formatted(payloadLength);
        return table(Identifiers.quoted(table), columns, "`user_id`, `graph_id`, `vertex_id`", "`user_id`");
    }
}
