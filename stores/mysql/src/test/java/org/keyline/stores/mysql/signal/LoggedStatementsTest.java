package org.keyline.stores.mysql.signal;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableSchema;

/** What statements in the log change, by the bytes of their events. */
class LoggedStatementsTest {
    private static final int NO_BACKSLASH_ESCAPES = 1 << 20;
    private static final int ORACLE = 1 << 9;

    private final RecordedChanges changes = new RecordedChanges();
    private final LoggedStatements statements = new LoggedStatements(new Empty(), changes);

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            CREATE TABLE t (id INT PRIMARY KEY)                                     | definition of t
            CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY)                       | definition of t
            RENAME TABLE t TO u                                                     | definition of t, definition of u
            CREATE DEFINER=`root`@`%` TRIGGER r BEFORE INSERT ON t FOR EACH ROW BEGIN SET NEW.a = 1; END | stored code
            CREATE ALGORITHM=UNDEFINED DEFINER=`a`@`b` SQL SECURITY DEFINER VIEW v AS SELECT 1           | stored code
            DROP FUNCTION f                                                         | stored code
            CREATE DATABASE e                                                       |
            DROP DATABASE e                                                         | all definitions, everything
            UPDATE unknown SET a = 1                                                      | everything
            GRANT SELECT ON d.* TO a                                                | privileges
            """)
    void statement_reportsWhatItChanges(String sql, @Nullable String expected) throws IOException {
        statements.report(event(0, sql));
        assertThat(String.join(", ", changes.take())).isEqualTo(expected == null ? "" : expected);
    }

    @Test
    void mode_decidesWhereATextEnds() throws IOException {
        String sql = "ALTER TABLE t COMMENT = '\\'";
        statements.report(event(NO_BACKSLASH_ESCAPES, sql));
        assertThat(changes.take()).containsExactly("definition of t");
        statements.report(event(0, sql));
        assertThat(changes.take()).containsExactly("all definitions", "privileges", "everything");
    }

    @Test
    void dialectOrCharacterSetThatIsNotKnown_mayChangeAnything() throws IOException {
        statements.report(event(ORACLE, "UPDATE t SET a = 1"));
        assertThat(changes.take()).contains("everything");
        statements.report(event(0, "UPDATE t SET a = 'ä'"));
        assertThat(changes.take()).contains("everything");
    }

    /** The event's body as in the protocol's page, with flags2 and the mode as status variables. */
    private static LoggedQuery event(long mode, String sql) throws IOException {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        int status = 1 + 4 + 1 + 8;
        ByteBuffer body = ByteBuffer.allocate(4 + 4 + 1 + 2 + 2 + status + 2 + text.length)
                .order(ByteOrder.LITTLE_ENDIAN);
        body.putInt(7).putInt(0).put((byte) 1).putShort((short) 0).putShort((short) status);
        body.put((byte) 0).putInt(0).put((byte) 1).putLong(mode);
        body.put((byte) 'd').put((byte) 0).put(text);
        return LoggedQuery.READER.deserialize(new ByteArrayInputStream(body.array()));
    }

    private static final class Empty implements Catalog {
        @Override
        public @Nullable TableSchema table(String schema, String table) {
            return null;
        }

        @Override
        public long version() {
            return 1;
        }
    }
}
