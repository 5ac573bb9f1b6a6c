package org.keyline.ycsb;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** CREATE TABLE statements of the workloads. */
enum Ddl {
    /** For Doris and the embedded store, with Doris's published properties for point queries. */
    DORIS("""
            CREATE TABLE IF NOT EXISTS %1$s (
            %2$s
            ) ENGINE=OLAP
            UNIQUE KEY(%3$s)
            COMMENT 'OLAP'
            DISTRIBUTED BY HASH(%4$s) BUCKETS 16
            PROPERTIES (
            "replication_allocation" = "tag.location.default: 1",
            "enable_unique_key_merge_on_write" = "true",
            "light_schema_change" = "true",
            "store_row_column" = "true"
            )"""),

    /** For MySQL and MariaDB. The binary collation distinguishes keys that differ only in case. */
    MYSQL("""
            CREATE TABLE IF NOT EXISTS %1$s (
            %2$s,
            PRIMARY KEY (%3$s)
            ) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin""");

    private final String template;

    Ddl(String template) {
        this.template = template;
    }

    String usertable(String table, String keyColumn, int fields) {
        String key = Identifiers.quoted(keyColumn);
        String columns = IntStream.range(0, fields)
                .mapToObj(i -> "  `FIELD" + i + "` text NULL")
                .collect(Collectors.joining(",\n", "  " + key + " varchar(255) NOT NULL,\n", ""));
        return template.formatted(Identifiers.quoted(table), columns, key, key);
    }

    String strategyTable(String table, int payloadLength) {
        String columns = """
                  `user_id` bigint NOT NULL,
                  `graph_id` bigint NOT NULL,
                  `vertex_id` bigint NOT NULL,
                  `revision` bigint NOT NULL,
                  `payload` varchar(%d) NOT NULL""".formatted(payloadLength);
        String key = "`user_id`, `graph_id`, `vertex_id`";
        return template.formatted(Identifiers.quoted(table), columns, key, "`user_id`");
    }
}
