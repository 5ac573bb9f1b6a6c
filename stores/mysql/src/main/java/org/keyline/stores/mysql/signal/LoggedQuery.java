package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.SqlMode;

/**
 * A statement in the log, with the {@code sql_mode} of its session. The library's reader skips the
 * mode.
 *
 * @see <a href="https://mariadb.com/kb/en/query_event/">QUERY_EVENT</a>
 */
final class LoggedQuery extends QueryEventData {
    static final EventDataDeserializer<LoggedQuery> READER = LoggedQuery::read;

    private static final long serialVersionUID = 1L;

    /** Code of the flags among the status variables. The flags come first, then sql_mode. */
    private static final int FLAGS2 = 0;

    private static final int FLAGS2_BYTES = 4;
    private static final int SQL_MODE = 1;
    private static final int SQL_MODE_BYTES = 8;

    private static final long PIPES_AS_CONCAT = 1 << 1;
    private static final long ANSI_QUOTES = 1 << 2;
    private static final long NO_BACKSLASH_ESCAPES = 1 << 20;
    /** The bits of POSTGRESQL, ORACLE, MSSQL, DB2 and MAXDB. */
    private static final long DIALECTS = 0x1F00;

    private final transient @Nullable SqlMode mode;

    private LoggedQuery(@Nullable SqlMode mode) {
        this.mode = mode;
    }

    /**
     * Returns the mode of the statement; null if it is unknown or implies a dialect that Keyline
     * does not know.
     */
    @Nullable
    SqlMode mode() {
        return mode;
    }

    private static LoggedQuery read(ByteArrayInputStream in) throws IOException {
        long thread = in.readLong(4);
        long seconds = in.readLong(4);
        int schemaBytes = in.readInteger(1);
        int error = in.readInteger(2);
        byte[] status = in.read(in.readInteger(2));
        LoggedQuery query = new LoggedQuery(mode(status));
        query.setThreadId(thread);
        query.setExecutionTime(seconds);
        query.setErrorCode(error);
        query.setDatabase(in.readString(schemaBytes));
        in.skip(1);
        query.setSql(in.readString(in.available()));
        return query;
    }

    private static @Nullable SqlMode mode(byte[] status) {
        int at = status.length > 0 && status[0] == FLAGS2 ? 1 + FLAGS2_BYTES : 0;
        if (status.length < at + 1 + SQL_MODE_BYTES || status[at] != SQL_MODE) {
            return null;
        }
        long bits = 0;
        for (int i = SQL_MODE_BYTES; i > 0; i--) {
            bits = (bits << Byte.SIZE) | (status[at + i] & 0xFF);
        }
        return (bits & DIALECTS) != 0
                ? null
                : new SqlMode(
                        (bits & ANSI_QUOTES) != 0, (bits & NO_BACKSLASH_ESCAPES) != 0, (bits & PIPES_AS_CONCAT) != 0);
    }
}
