package org.keyline.stores.ddl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;

/** Column types: the meaning of each spelling in MySQL and MariaDB, and in Doris. */
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

    /** Returns {@code VARCHAR 20}, {@code DECIMAL 10,2 unsigned}. */
    private static String meaning(ColumnType type) {
        return type.kind()
                + (type.length() == 0 ? "" : " " + type.length())
                + (type.scale() == 0 ? "" : "," + type.scale())
                + (type.unsigned() ? " unsigned" : "")
                + (type.collation() == null ? "" : " " + type.collation());
    }

    /**
     * The second column is information_schema.columns.column_type of MariaDB 11.4.5. It lacks the
     * display width of integers and years, which MySQL 8 no longer prints, and zerofill.
     */
    @ParameterizedTest
    @CsvFileSource(
            resources = "TypeReaderTest.mysqlType_isReadAsTheServerDoes.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void mysqlType_isReadAsTheServerDoes(String type, String text, String meaning) {
        DeclaredType read = mysql(type);
        assertThat(read.text()).isEqualTo(text);
        assertThat(meaning(read.type())).isEqualTo(meaning);
    }

    /** Spelled as in Doris's documentation of its types. */
    @ParameterizedTest
    @CsvFileSource(resources = "TypeReaderTest.dorisType_isReadAsDorisDoes.txt", delimiter = '|', quoteCharacter = '~')
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

    /**
     * Numbers and SQLSTATEs of MariaDB 11.4.5, but for lengths, which are 1439 and the like there.
     */
    @ParameterizedTest
    @CsvFileSource(resources = "TypeReaderTest.otherTypes_areRefused.txt", delimiter = '|', quoteCharacter = '~')
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
    void errors_nameTheFoundAndTheExpectedText() {
        assertThat(refusal("FROB").getMessage()).contains("near 'FROB)'").contains("expected a column type");
        assertThat(refusal("CHAR(256)").getMessage()).contains("256").contains("at most 255");
        assertThat(refusal("VARCHAR").getMessage()).contains("the length of the varchar");
    }
}
