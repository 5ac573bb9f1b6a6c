package org.keyline.stores.duckdb.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.StatementRefusedException;

/** Files are split as by MySQL's server; each also byte by byte. */
final class RecordReaderTest {
    private static final FileFormat COMMAS = new FileFormat(",", "\"", "\\", "\n");
    private static final FileFormat DOUBLED = new FileFormat(",", "\"", "\"", "\r\n");
    private static final FileFormat BARS = new FileFormat("||", "", "", "\r\n");

    private static List<String> read(FileFormat format, int skip, int wanted, String file, int pieceBytes) {
        byte[] bytes = file.getBytes(UTF_8);
        List<byte[]> pieces = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += pieceBytes) {
            pieces.add(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + pieceBytes)));
        }
        Iterator<byte[]> rest = pieces.iterator();
        RecordReader reader =
                new RecordReader(format, skip, held -> rest.hasNext() ? Optional.of(rest.next()) : Optional.empty());
        List<String> records = new ArrayList<>();
        take(reader, wanted, records);
        return records;
    }

    private static void take(RecordReader reader, int wanted, List<String> records) {
        for (RecordReader.Fields record = reader.next(wanted); record != null; record = reader.next(wanted)) {
            List<String> fields = new ArrayList<>();
            for (byte[] field : record.fields()) {
                fields.add(field == null ? "NULL" : "<" + new String(field, UTF_8) + ">");
            }
            records.add(String.join("", fields) + (record.cut() ? "+" : ""));
        }
    }

    private static void assertRead(FileFormat format, int skip, int wanted, String file, String... records) {
        assertThat(read(format, skip, wanted, file, Math.max(1, file.length() * 4)))
                .containsExactly(records);
        for (int bytes = 1; bytes < 4; bytes++) {
            assertThat(read(format, skip, wanted, file, bytes))
                    .as("pieces of " + bytes)
                    .containsExactly(records);
        }
    }

    @Test
    void defaultFormat_escapesNullsAndShortRecords() {
        assertRead(
                FileFormat.DEFAULT,
                0,
                3,
                "1\tone\\ttab\\nline\\\\\t\\N\n2\n\n\\N\\N\ta\tb\tc\tmore\n3\tx\ty\tz",
                "<1><one\ttab\nline\\>NULL",
                "<2>",
                "<>",
                "<NN><a><b>+",
                "<3><x><y>");
    }

    @Test
    void escapedEndOfLine_isPartOfTheField() {
        assertRead(FileFormat.DEFAULT, 0, 2, "1\ta\\\nb\n2\tc\\", "<1><a\nb>", "<2><c\\>");
    }

    @Test
    void enclosedFields_mayHoldWhatEndsFields() {
        assertRead(
                COMMAS,
                0,
                2,
                "1,\"a,b\nc\"\n2,\"say \"\"x\"\"\"\n3,NULL\n4,\"NULL\"\n5,a\"b\n6,\"a\"b\"\n",
                "<1><a,b\nc>",
                "<2><say \"x\">",
                "<3>NULL",
                "<4><NULL>",
                "<5><a\"b>",
                "<6><a\"b>");
    }

    @Test
    void quoteThatIsNeverClosed_isACharacter() {
        assertRead(COMMAS, 0, 2, "1,\"a\n2,b", "<1><\"a\n2,b>");
    }

    @Test
    void escapeThatEncloses_doublesItselfOnly() {
        assertRead(DOUBLED, 0, 2, "\"fie\"\"ld\",\"a\\n\"\r\n\"x\",y\rz\r\n", "<fie\"ld><a\\n>", "<x><y\rz>");
    }

    @Test
    void separatorsOfSeveralCharacters_areFoundAcrossPieces() {
        assertRead(BARS, 0, 2, "1||a|b\r\n2||\\N\r\n3\r", "<1><a|b>", "<2><\\N>", "<3\r>");
    }

    @ParameterizedTest
    @CsvSource({"0, 3", "1, 2", "2, 1", "3, 0", "4, 0"})
    void linesToSkip_areSkipped(int skip, int left) {
        assertThat(read(COMMAS, skip, 1, "a\nb\nc\n", 100)).hasSize(left);
        assertThat(read(COMMAS, skip, 1, "a\nb\nc\n", 1)).hasSize(left);
    }

    @Test
    void longRecord_isReadOnce() {
        String record = "x".repeat(200_000) + "\n";
        assertThat(read(FileFormat.DEFAULT, 0, 1, record.repeat(2), 7)).hasSize(2);
    }

    @Test
    void formatThatNobodyCanRead_isRefused() {
        assertThatThrownBy(() -> new FileFormat(",", "xy", "", "\n"))
                .isInstanceOfSatisfying(
                        StatementRefusedException.class,
                        e -> assertThat(e.code()).isEqualTo(1083));
        assertThatThrownBy(() -> new FileFormat("", "", "\\", "\n")).hasMessageContaining("width");
        assertThatThrownBy(() -> new FileFormat(",", "", "\\", ",")).hasMessageContaining("an end of their own");
    }
}
