package org.keyline.gateway.relay;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.client.StatementArguments;

/**
 * Tables with every column type of MariaDB, or of MySQL if that is the store, and statements about
 * them.
 */
final class TypedTables {
    private static final List<String> TEXTS =
            List.of("''", "'a'", "'A'", "'a '", "'it''s'", "'\\\\'", "'ä'", "'😀'", "'日本語'", "'0'", "'\\n'", "NULL");

    private static final List<List<String>> OF_MARIADB = List.of(
            List.of("UUID", "'123e4567-e89b-12d3-a456-426655440000'", "NULL"),
            List.of("INET4", "'192.168.0.1'", "NULL"),
            List.of("INET6", "'::ffff:192.0.2.128'", "'2001:db8::ff00:42:8329'"));

    private static final List<List<String>> OF_MYSQL = List.of(
            List.of("VECTOR(3)", "TO_VECTOR('[1, 2.5, -3e10]')", "NULL"),
            List.of("VECTOR", "x'0000803f'", "NULL"),
            List.of("BIGINT AS (LENGTH(c18)) VIRTUAL INVISIBLE", "DEFAULT"),
            List.of("VARCHAR(50) INVISIBLE", "'not seen'", "NULL"),
            List.of("GEOMETRY SRID 4326", "ST_GeomFromText('LINESTRING(1 2, 3 4)', 4326)", "NULL"),
            List.of("VARCHAR(20) COLLATE utf8mb4_ja_0900_as_cs_ks", "'カ'", "'か'"));

    /** Types of columns outside the key, each with values. */
    private static final List<List<String>> TYPES = Stream.concat(
                    Stream.of(
                            List.of("TINYINT", "-128", "0", "127"),
                            List.of("TINYINT UNSIGNED", "0", "255"),
                            List.of("SMALLINT ZEROFILL", "7", "65535"),
                            List.of("MEDIUMINT", "-8388608", "8388607"),
                            List.of("INT UNSIGNED", "0", "4294967295"),
                            List.of("BIGINT", "-9223372036854775808", "9223372036854775807"),
                            List.of("BIGINT UNSIGNED", "0", "18446744073709551615"),
                            List.of("DECIMAL(30,10)", "-12345678901234567890.0123456789", "0", "1.5"),
                            List.of("FLOAT", "-3.4e38", "0", "1.17e-38", "0.1"),
                            List.of("DOUBLE", "-1.7e308", "-0.0", "2.2e-308", "0.1", "1e16"),
                            List.of("BIT(1)", "b'0'", "b'1'"),
                            List.of("BIT(60)", "b'1011'", "1152921504606846975"),
                            List.of("CHAR(5)", "'ab'", "''", "'abcde'"),
                            texts("VARCHAR(100)"),
                            List.of("VARCHAR(100) CHARACTER SET latin1", "'abc'", "'äöü'", "''"),
                            List.of("BINARY(4)", "'ab'", "x'00ff0000'"),
                            List.of("VARBINARY(100)", "x'00ff'", "''"),
                            List.of("TINYTEXT", "'t'", "''"),
                            texts("TEXT"),
                            List.of("LONGTEXT", "REPEAT('long', 20000)", "'s'"),
                            List.of("BLOB", "x'00010203ff'", "REPEAT('b', 300)"),
                            List.of("DATE", "'0000-00-00'", "'1000-01-01'", "'9999-12-31'", "'2026-11-21'"),
                            List.of("DATETIME", "'0000-00-00 00:00:00'", "'2026-11-21 10:11:12'"),
                            List.of("DATETIME(6)", "'2026-11-21 10:11:12.000001'", "'2026-11-21 00:00:00.000000'"),
                            List.of("TIMESTAMP(3) NULL", "'2026-11-21 10:11:12.345'", "NULL"),
                            List.of("TIME", "'-838:59:59'", "'00:00:00'", "'838:59:59'"),
                            List.of("TIME(6)", "'-00:00:00.000001'", "'12:34:56.789012'"),
                            List.of("YEAR", "0", "1901", "2155"),
                            List.of("ENUM('x','y','ß')", "'x'", "'ß'"),
                            List.of("SET('p','q','r')", "'p,r'", "''"),
                            List.of("JSON", "'{\"a\": [1, null]}'", "NULL"),
                            List.of("POINT", "ST_GeomFromText('POINT(1 2)')", "NULL")),
                    (MariaDb.isMySql() ? OF_MYSQL : OF_MARIADB).stream())
            .toList();

    /**
     * A table.
     *
     * @param name in schema shop
     * @param keys the key's columns, each with its type and the values of its keys
     */
    record Table(String name, List<Key> keys) {
        /** A key column; values as SQL. */
        record Key(String name, String ddl, List<String> values) {}

        private String create() {
            StringBuilder sql = new StringBuilder("CREATE TABLE " + name + " (");
            keys.forEach(
                    key -> sql.append(key.name()).append(' ').append(key.ddl()).append(" NOT NULL, "));
            for (int i = 0; i < TYPES.size(); i++) {
                sql.append('c')
                        .append(i)
                        .append(' ')
                        .append(TYPES.get(i).get(0))
                        .append(", ");
            }
            sql.append("extra INT DEFAULT 5, PRIMARY KEY (");
            sql.append(String.join(", ", keys.stream().map(Key::name).toList()));
            return sql.append("))").toString();
        }

        String insert(Random random) {
            StringBuilder columns = new StringBuilder("REPLACE INTO " + name + " (");
            StringBuilder values = new StringBuilder();
            for (Key key : keys) {
                columns.append(key.name()).append(", ");
                values.append(pick(key.values(), random)).append(", ");
            }
            for (int i = 0; i < TYPES.size(); i++) {
                List<String> type = TYPES.get(i);
                columns.append('c').append(i).append(i + 1 < TYPES.size() ? ", " : ") VALUES (");
                String value = type.get(1 + random.nextInt(type.size() - 1));
                value = random.nextInt(6) == 0 && !value.equals("DEFAULT") ? "NULL" : value;
                values.append(value).append(i + 1 < TYPES.size() ? ", " : ")");
            }
            return columns.append(values).toString();
        }

        /** Returns the read of one whole key. */
        String firstRow() {
            return "SELECT * FROM " + name + " WHERE "
                    + String.join(
                            " AND ",
                            keys.stream()
                                    .map(key ->
                                            key.name() + " = " + key.values().get(0))
                                    .toList());
        }

        String pointRead(Random random) {
            int bound = keys.size() > 1 && random.nextInt(3) == 0 ? 1 : keys.size();
            StringBuilder sql =
                    new StringBuilder("SELECT ").append(columns(random)).append(" FROM ");
            sql.append(random.nextInt(8) == 0 ? "shop." : "").append(name).append(" WHERE ");
            for (int i = 0; i < bound; i++) {
                Key key = keys.get(i);
                sql.append(i > 0 ? " AND " : "").append(key.name());
                if (i == bound - 1 && random.nextInt(5) == 0) {
                    sql.append(" IN (").append(value(key, random));
                    sql.append(", ").append(value(key, random)).append(')');
                } else {
                    sql.append(" = ").append(value(key, random));
                }
            }
            if (bound < keys.size() || sql.indexOf(" IN (") > 0) {
                keys.forEach(key -> sql.append(sql.indexOf(" ORDER") < 0 ? " ORDER BY " : ", ")
                        .append(key.name()));
            }
            if (random.nextInt(6) == 0) {
                sql.append(" LIMIT ").append(1 + random.nextInt(3));
            }
            return formed(sql.toString(), bound == keys.size() && sql.indexOf(" IN (") < 0, random);
        }

        /**
         * Returns a statement for the same rows, or for their count or ends, in one of the other
         * forms that clients use; some of these are no point reads.
         */
        private static String formed(String sql, boolean single, Random random) {
            String from = sql.substring(sql.indexOf(" FROM "));
            String plain = from.replaceAll(" (ORDER|LIMIT) .*", "");
            return switch (random.nextInt(18)) {
                case 0 -> sql.replaceFirst("SELECT ", "SELECT SQL_NO_CACHE ");
                case 1 -> single ? sql.replaceFirst("SELECT ", "SELECT DISTINCT ") : sql;
                case 2 -> "SELECT " + pick(COUNTS, random) + plain;
                case 3 -> "SELECT EXISTS(" + sql + ") AS `found`";
                case 4 -> "SELECT " + pick(ONES, random) + from;
                case 5 -> sql.replaceAll("(\\w+) = ", "$1 <=> ");
                case 6 -> sql.replaceFirst(" WHERE ", " WHERE " + pick(COMPARISONS, random) + " AND ");
                case 7 -> single && !sql.contains("LIMIT") ? sql + " ORDER BY " + (1 + random.nextInt(2)) : sql;
                case 8, 9 -> sql.replaceFirst("(\\w+) IN \\(([^,]*), ([^,]*)\\)", "($1 = $2 OR $1 = $3)");
                default -> sql;
            };
        }

        private static String value(Key key, Random random) {
            if (random.nextInt(12) == 0) {
                return pick(ODD, random);
            }
            return pick(key.values(), random);
        }

        String preparedRead(Random random) {
            StringBuilder sql = new StringBuilder("SELECT ")
                    .append(columns(random))
                    .append(" FROM ")
                    .append(name);
            keys.forEach(key -> sql.append(sql.indexOf("WHERE") < 0 ? " WHERE " : " AND ")
                    .append(key.name())
                    .append(" = ?"));
            return formed(sql.toString(), true, random);
        }

        StatementArguments keyArguments(Random random) {
            StatementArguments arguments = new StatementArguments();
            for (Key key : keys) {
                String value = pick(key.values(), random);
                if (random.nextInt(10) == 0) {
                    arguments.addNull();
                } else if (value.startsWith("'")) {
                    arguments.addText(value.substring(1, value.length() - 1));
                } else if (random.nextInt(6) == 0) {
                    arguments.addText(value);
                } else if (random.nextInt(4) == 0) {
                    arguments.addFloat64(Double.parseDouble(value));
                } else {
                    arguments.addInt64(Long.parseLong(value));
                }
            }
            return arguments;
        }

        private static String columns(Random random) {
            if (random.nextInt(3) == 0) {
                return "*";
            }
            // Few shapes, so that many reads find a template; together they select every column.
            List<String> columns = new ArrayList<>();
            for (int i = random.nextInt(5); i < TYPES.size(); i += 5) {
                columns.add("c" + i);
            }
            return String.join(", ", columns);
        }

        String write(Random random) {
            Key last = keys.get(keys.size() - 1);
            String where =
                    " WHERE " + keys.get(0).name() + " = " + pick(keys.get(0).values(), random);
            if (keys.size() > 1 && random.nextBoolean()) {
                where += " AND " + last.name() + " = " + pick(last.values(), random);
            }
            int column = random.nextInt(TYPES.size());
            List<String> type = TYPES.get(column);
            return switch (random.nextInt(4)) {
                case 0 -> insert(random);
                case 1 -> "DELETE FROM " + name + where;
                default ->
                    "UPDATE " + name + " SET c" + column + " = " + type.get(1 + random.nextInt(type.size() - 1))
                            + where;
            };
        }

        String alter(Random random) {
            boolean mariaDb = !MariaDb.isMySql();
            return switch (random.nextInt(3)) {
                case 0 ->
                    "ALTER TABLE " + name + " ADD COLUMN " + (mariaDb ? "IF NOT EXISTS " : "")
                            + "added INT DEFAULT 9 FIRST";
                case 1 -> "ALTER TABLE " + name + " DROP COLUMN " + (mariaDb ? "IF EXISTS " : "") + "added";
                default -> "ALTER TABLE " + name + " MODIFY extra BIGINT DEFAULT " + random.nextInt(9);
            };
        }
    }

    /** Values of other types than the key's, out of range, or not values at all. */
    private static final List<String> ODD = List.of(
            "NULL",
            "'1'",
            "'01'",
            "1.0",
            "1e0",
            "' 1'",
            "-1",
            "99999999999999999999",
            "''",
            "0x31",
            "TRUE",
            "'1a'",
            "CAST('2' AS CHAR)");

    private static final List<String> COUNTS =
            List.of("COUNT(*)", "count(*)", "COUNT(*) AS n", "COUNT(*) n", "COUNT( * )", "COUNT(*) + 0", "COUNT(c0)");

    private static final List<String> ONES =
            List.of("1", "1 AS one", "c0, 1 AS one, c1", "1, 1", "2 AS one", "10000000000 AS one", "01", "1.0", "'1'");

    private static final List<String> COMPARISONS = List.of("1 = 1", "1=1", "1 = 0", "1 = 01", "2 = 2", "'1' = 1");

    private static final List<String> SMALL = List.of("1", "2", "3", "4", "5", "6", "7", "8");

    static final List<Table> ALL = List.of(
            new Table("ints", List.of(new Table.Key("id", "INT", SMALL))),
            new Table(
                    "longs",
                    List.of(new Table.Key("id", "BIGINT UNSIGNED", List.of("1", "2", "3", "9223372036854775807")))),
            new Table(
                    "ranges",
                    List.of(
                            new Table.Key("user_id", "INT", SMALL),
                            new Table.Key("graph_id", "SMALLINT", List.of("-1", "0", "1", "2")))),
            new Table(
                    "words",
                    List.of(new Table.Key(
                            "word",
                            "VARCHAR(40)",
                            List.of(
                                    "'a'",
                                    "'A'",
                                    "'b'",
                                    "'b '",
                                    "'ä'",
                                    "'straße'",
                                    "'😀'",
                                    "''",
                                    "'it''s'",
                                    "'user1'")))),
            new Table(
                    "bins",
                    List.of(new Table.Key(
                            "word",
                            "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                            List.of("'a'", "'A'", "'b'", "'b '", "'ä'", "'😀'", "''", "'user1'")))),
            new Table(
                    "days",
                    List.of(
                            new Table.Key("day", "DATE", List.of("'2026-11-21'", "'2026-11-22'", "'1000-01-01'")),
                            new Table.Key("price", "DECIMAL(8,2)", List.of("1", "2", "100")))));

    private TypedTables() {}

    private static List<String> texts(String type) {
        List<String> values = new ArrayList<>(List.of(type));
        values.addAll(TEXTS);
        return values;
    }

    private static String pick(List<String> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }

    /** Returns the statements that create schema and first rows. */
    static List<String> schema() {
        List<String> sql = new ArrayList<>();
        sql.add("DROP DATABASE IF EXISTS shop");
        sql.add("DROP DATABASE IF EXISTS other");
        sql.add("CREATE DATABASE other CHARACTER SET utf8mb4");
        sql.add("CREATE TABLE other.ints (id INT PRIMARY KEY, v INT)");
        sql.add("INSERT INTO other.ints VALUES (4, 44)");
        sql.add("CREATE DATABASE shop CHARACTER SET utf8mb4");
        sql.add("USE shop");
        sql.add("SET sql_mode = ''");
        Random random = new Random(7);
        for (Table table : ALL) {
            sql.add(table.create());
            for (int i = 0; i < 12; i++) {
                sql.add(table.insert(random));
            }
        }
        sql.add("CREATE VIEW ints_view AS SELECT id, c0 FROM ints");
        sql.add("CREATE TABLE loaded (id INT PRIMARY KEY, text VARCHAR(20))");
        sql.add(
                "CREATE PROCEDURE several(n INT) BEGIN SELECT n; UPDATE ints SET extra = n WHERE id = 1; SELECT extra FROM ints WHERE id <= 2; END");
        sql.add("CREATE PROCEDURE doubled(n INT, OUT o INT) SET o = 2 * n");
        return sql;
    }
}
