package org.keyline.stores.ddl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;

/** Column types: what MySQL and MariaDB make of each spelling, and what Doris does. */
final class TypeReaderTest {
    private static DeclaredType mysql(String type) {
        return DdlTexts.table("CREATE TABLE t (a " + type + ")")
                .columns()
                .get(0)
                .type();
    }

    private static DeclaredType doris(String type) {
        return DdlTexts.table("CREATE TABLE t (k INT, a " + type + ") DUPLICATE KEY(k) DISTRIBUTED BY RANDOM")
                .columns()
                .get(1)
                .type();
    }

    private static StatementRefusedException refusal(String type) {
        return DdlTexts.refusal("CREATE TABLE t (a " + type + ")");
    }

    /** {@code VARCHAR 20}, {@code DECIMAL 10,2 unsigned}. */
    private static String meaning(ColumnType type) {
        return type.kind()
                + (type.length() == 0 ? "" : " " + type.length())
                + (type.scale() == 0 ? "" : "," + type.scale())
                + (type.unsigned() ? " unsigned" : "")
                + (type.collation() == null ? "" : " " + type.collation());
    }

    /**
     * The second column is information_schema.columns.column_type of MariaDB 11.4.5, without the display width of integers and years, which
     * MySQL 8 does not print any longer, and without zerofill.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            BOOLEAN                        | tinyint(1)                  | TINYINT 1
            BOOL                           | tinyint(1)                  | TINYINT 1
            TINYINT                        | tinyint                     | TINYINT
            TINYINT(1)                     | tinyint(1)                  | TINYINT 1
            TINYINT(3) UNSIGNED            | tinyint unsigned            | TINYINT unsigned
            SMALLINT(5) ZEROFILL           | smallint unsigned           | SMALLINT unsigned
            INT2                           | smallint                    | SMALLINT
            MEDIUMINT                      | mediumint                   | MEDIUMINT
            INT3                           | mediumint                   | MEDIUMINT
            MIDDLEINT                      | mediumint                   | MEDIUMINT
            INT                            | int                         | INT
            int(11)                        | int                         | INT
            INTEGER SIGNED                 | int                         | INT
            INT4                           | int                         | INT
            INT UNSIGNED                   | int unsigned                | INT unsigned
            BIGINT(20) UNSIGNED            | bigint unsigned             | BIGINT unsigned
            INT8                           | bigint                      | BIGINT
            FLOAT                          | float                       | FLOAT
            FLOAT4                         | float                       | FLOAT
            FLOAT(24)                      | float                       | FLOAT
            FLOAT(25)                      | double                      | DOUBLE
            FLOAT(53)                      | double                      | DOUBLE
            FLOAT UNSIGNED                 | float unsigned              | FLOAT unsigned
            DOUBLE                         | double                      | DOUBLE
            DOUBLE PRECISION               | double                      | DOUBLE
            REAL                           | double                      | DOUBLE
            FLOAT8                         | double                      | DOUBLE
            DECIMAL                        | decimal(10,0)               | DECIMAL 10
            DEC                            | decimal(10,0)               | DECIMAL 10
            NUMERIC                        | decimal(10,0)               | DECIMAL 10
            FIXED                          | decimal(10,0)               | DECIMAL 10
            DECIMAL(0)                     | decimal(10,0)               | DECIMAL 10
            DECIMAL(5)                     | decimal(5,0)                | DECIMAL 5
            DECIMAL(20,3)                  | decimal(20,3)               | DECIMAL 20,3
            DECIMAL(20,3) UNSIGNED         | decimal(20,3) unsigned      | DECIMAL 20,3 unsigned
            DECIMAL(65,38)                 | decimal(65,38)              | DECIMAL 65,38
            DATE                           | date                        | DATE
            DATETIME                       | datetime                    | DATETIME
            DATETIME(0)                    | datetime                    | DATETIME
            DATETIME(3)                    | datetime(3)                 | DATETIME,3
            TIMESTAMP(6)                   | timestamp(6)                | TIMESTAMP,6
            TIME                           | time                        | TIME
            TIME(2)                        | time(2)                     | TIME,2
            YEAR                           | year                        | YEAR 4 unsigned
            YEAR(4)                        | year                        | YEAR 4 unsigned
            CHAR                           | char(1)                     | CHAR 1
            CHAR(0)                        | char(0)                     | CHAR
            CHAR(255)                      | char(255)                   | CHAR 255
            CHARACTER(5)                   | char(5)                     | CHAR 5
            NCHAR(5)                       | char(5)                     | CHAR 5
            CHARACTER VARYING(7)           | varchar(7)                  | VARCHAR 7
            CHAR VARYING(7)                | varchar(7)                  | VARCHAR 7
            NVARCHAR(5)                    | varchar(5)                  | VARCHAR 5
            VARCHARACTER(3)                | varchar(3)                  | VARCHAR 3
            VARCHAR(20) BINARY             | varchar(20)                 | VARCHAR 20
            VARCHAR(20) CHARACTER SET binary | varbinary(20)             | VARBINARY 20
            VARCHAR(20) CHARSET utf8mb4 COLLATE utf8mb4_BIN | varchar(20) | VARCHAR 20 utf8mb4_bin
            VARCHAR(20) COLLATE 'utf8mb4_bin' CHARACTER SET utf8mb4 | varchar(20) | VARCHAR 20 utf8mb4_bin
            CHAR(3) CHARACTER SET binary   | binary(3)                   | BINARY 3
            TEXT CHARACTER SET binary      | blob                        | BLOB 65535
            MEDIUMTEXT CHARSET binary      | mediumblob                  | BLOB 16777215
            TEXT                           | text                        | TEXT 65535
            TEXT(0)                        | text                        | TEXT 65535
            TEXT(63)                       | tinytext                    | TEXT 255
            TEXT(64)                       | text                        | TEXT 65535
            TEXT(16383)                    | text                        | TEXT 65535
            TEXT(16384)                    | mediumtext                  | TEXT 16777215
            TEXT(4194303)                  | mediumtext                  | TEXT 16777215
            TEXT(4194304)                  | longtext                    | TEXT 2147483647
            TINYTEXT                       | tinytext                    | TEXT 255
            MEDIUMTEXT                     | mediumtext                  | TEXT 16777215
            LONGTEXT                       | longtext                    | TEXT 2147483647
            LONG                           | mediumtext                  | TEXT 16777215
            LONG VARCHAR                   | mediumtext                  | TEXT 16777215
            BINARY                         | binary(1)                   | BINARY 1
            BINARY(16)                     | binary(16)                  | BINARY 16
            VARBINARY(16)                  | varbinary(16)               | VARBINARY 16
            BLOB                           | blob                        | BLOB 65535
            BLOB(255)                      | tinyblob                    | BLOB 255
            BLOB(256)                      | blob                        | BLOB 65535
            BLOB(70000)                    | mediumblob                  | BLOB 16777215
            TINYBLOB                       | tinyblob                    | BLOB 255
            MEDIUMBLOB                     | mediumblob                  | BLOB 16777215
            LONGBLOB                       | longblob                    | BLOB 2147483647
            BIT                            | bit(1)                      | BIT 1 unsigned
            BIT(64)                        | bit(64)                     | BIT 64 unsigned
            ENUM('x','y''z')               | enum('x','y''z')            | ENUM 3
            SET('a','b')                   | set('a','b')                | SET 4
            POINT                          | point                       | GEOMETRY
            GEOMETRY                       | geometry                    | GEOMETRY
            MULTIPOLYGON                   | multipolygon                | GEOMETRY
            """)
    void mysqlType_isReadAsTheServerDoes(String type, String text, String meaning) {
        DeclaredType read = mysql(type);
        assertThat(read.text()).isEqualTo(text);
        assertThat(meaning(read.type())).isEqualTo(meaning);
    }

    /** Spelled as in Doris's documentation of its types. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            BOOLEAN                        | boolean                     | BOOLEAN 1
            TINYINT(1)                     | tinyint                     | TINYINT
            LARGEINT                       | largeint                    | LARGEINT
            DECIMAL                        | decimal(38,9)               | DECIMAL 38,9
            DECIMAL(27)                    | decimal(27,0)               | DECIMAL 27
            DECIMALV3(76, 30)              | decimal(76,30)              | DECIMAL 76,30
            DATEV2                         | date                        | DATE
            DATETIMEV2(6)                  | datetime(6)                 | DATETIME,6
            VARCHAR                        | varchar(65533)              | VARCHAR 65533
            VARCHAR(*)                     | varchar(65533)              | VARCHAR 65533
            VARCHAR(65533)                 | varchar(65533)              | VARCHAR 65533
            STRING                         | text                        | TEXT 2147483647
            TEXT                           | text                        | TEXT 2147483647
            JSONB                          | json                        | JSON 2147483647
            IPV4                           | ipv4                        | IPV4 15
            IPV6                           | ipv6                        | IPV6 45
            VARIANT                        | variant                     | VARIANT
            VARIANT<'a' : INT>             | variant                     | -
            HLL                            | hll                         | OTHER
            BITMAP                         | bitmap                      | OTHER
            QUANTILE_STATE                 | quantile_state              | OTHER
            ARRAY<INT>                     | array<int>                  | ARRAY
            ARRAY<ARRAY<VARCHAR(9)>>       | array<array<varchar(9)>>    | ARRAY
            ARRAY<ARRAY<ARRAY<INT>>>       | array<array<array<int>>>    | ARRAY
            MAP<STRING, DECIMAL(9,2)>      | map<string, decimal(9,2)>   | MAP
            STRUCT<a:INT COMMENT 'x', `b`:ARRAY<DATE>> | struct<a:int comment 'x', `b`:array<date>> | STRUCT
            ARRAY                          | array                       | OTHER
            MAP<INT>                       | map<int>                    | OTHER
            VARCHAR(9) COLLATE utf8mb4_bin | varchar(9)                  | VARCHAR 9
            """)
    void dorisType_isReadAsDorisDoes(String type, String text, String meaning) {
        DeclaredType read = doris(type);
        if (!meaning.equals("-")) {
            assertThat(read.text()).isEqualTo(text);
            assertThat(meaning(read.type())).isEqualTo(meaning);
        } else {
            assertThat(read.type().kind()).isEqualTo(ColumnType.Kind.OTHER);
        }
    }

    @Test
    void nestedType_hasItsPartsAsFields() {
        ColumnType map = doris("MAP<INT, ARRAY<STRING>>").type();
        assertThat(map.fields())
                .extracting(field -> field.type().kind())
                .containsExactly(ColumnType.Kind.INT, ColumnType.Kind.ARRAY);
        assertThat(map.fields().get(1).type().fields())
                .extracting(field -> field.type().kind())
                .containsExactly(ColumnType.Kind.TEXT);
        ColumnType struct = doris("STRUCT<'a b':INT NOT NULL, c:DATE NULL>").type();
        assertThat(struct.fields()).extracting(ColumnType.Field::name).containsExactly("a b", "c");
        assertThat(struct.nested()).isTrue();
    }

    @Test
    void members_areUnescapedInOrder() {
        assertThat(mysql("ENUM('x','y''z','a\\\\b')").members()).containsExactly("x", "y'z", "a\\b");
        assertThat(mysql("SET('a', 'b') COLLATE utf8mb4_bin").type().collation())
                .isEqualTo("utf8mb4_bin");
        assertThat(mysql("INT").members()).isEmpty();
    }

    /** Numbers and SQLSTATEs of MariaDB 11.4.5, but for lengths, which are 1439 and the like there. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            DECIMAL(3,4)                   | 1427 | 42000
            FLOAT(54)                      | 1063 | 42000
            DECIMAL(66,2)                  | 1426 | 42000
            VARCHAR                        | 1064 | 42000
            VARBINARY                      | 1064 | 42000
            ENUM()                         | 1064 | 42000
            ENUM(1)                        | 1064 | 42000
            FROB                           | 1064 | 42000
            DATETIME(7)                    | 1064 | 42000
            CHAR(256)                      | 1064 | 42000
            BIT(65)                        | 1064 | 42000
            INT(256)                       | 1064 | 42000
            INT(99999999999999999999)      | 1064 | 42000
            VARCHAR(9) COLLATE 'no way'    | 1273 | HY000
            SERIAL                         | 1235 | 42000
            """)
    void otherTypes_areRefused(String type, int code, String state) {
        StatementRefusedException refused = refusal(type);
        assertThat(refused.code()).as(refused.getMessage()).isEqualTo(code);
        assertThat(refused.sqlState()).isEqualTo(state);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ARRAY<INT", "MAP<INT,>", "STRUCT<a INT>", "STRUCT<a:>", "ARRAY<INT>>", "ARRAY<FROB>"})
    void nestedTypesThatAreNone_areSyntaxErrors(String type) {
        assertThat(DdlTexts.refusal("CREATE TABLE t (k INT, a " + type + ") DUPLICATE KEY(k) DISTRIBUTED BY RANDOM")
                        .code())
                .isEqualTo(1064);
    }

    @Test
    void deepNesting_isRefusedBeforeTheStackIs() {
        for (int depth : List.of(10, 1_000, 20_000)) {
            String type = String.join("", Collections.nCopies(depth, "ARRAY<")) + "INT"
                    + String.join("", Collections.nCopies(depth, ">"));
            assertThat(DdlTexts.refusal("CREATE TABLE t (k INT, a " + type + ") DUPLICATE KEY(k)")
                            .getMessage())
                    .contains("levels of nested types");
        }
        assertThat(doris("ARRAY<ARRAY<ARRAY<ARRAY<INT>>>>").type().nested()).isTrue();
    }

    @Test
    void errors_tellWhatWasFoundAndWhatWasExpected() {
        assertThat(refusal("FROB").getMessage()).contains("near 'FROB)'").contains("expected a column type");
        assertThat(refusal("CHAR(256)").getMessage()).contains("256").contains("at most 255");
        assertThat(refusal("VARCHAR").getMessage()).contains("the length of the varchar");
    }
}
