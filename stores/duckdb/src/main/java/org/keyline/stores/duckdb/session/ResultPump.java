package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.List;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.RowWriter;
import org.keyline.protocol.codec.TextRowWriter;
import org.keyline.stores.duckdb.engine.EngineRows;
import org.keyline.stores.duckdb.reply.Cells;
import org.keyline.stores.duckdb.reply.ReplyWriter;

/**
 * Moves the rows of a running query into the reply, chunk by chunk. Used by one thread at a time.
 */
final class ResultPump implements AutoCloseable {
    private final EngineRows rows;
    private final ReplyWriter out;
    private final RowWriter writer;
    private final Cells cells;
    private final long most;
    private long count;

    /** Whether {@link #isEmpty} has already moved to the first row. */
    private boolean ahead;

    /** @param asciiOnly whether text outside ASCII is refused */
    ResultPump(StatementOutcome.Streaming result, boolean binary, ReplyWriter out, boolean asciiOnly)
            throws SQLException {
        List<ColumnDefinition> columns = result.columns();
        this.rows = result.rows();
        this.most = result.most();
        this.out = out;
        this.writer = binary ? new BinaryRowWriter(columns) : new TextRowWriter(columns);
        this.cells = new Cells(rows, columns, asciiOnly);
    }

    /** Returns whether the result has no row. Called at most once, before {@link #chunk}. */
    boolean isEmpty() throws SQLException {
        ahead = most > 0 && rows.next();
        return !ahead;
    }

    /** Writes rows until a chunk is full or no row is left. Returns true if no row is left. */
    boolean chunk() throws SQLException {
        while (count < most && (ahead || rows.next())) {
            ahead = false;
            out.row(writer, cells, rows.textBytes());
            count++;
            if (out.full()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of rows written so far. */
    long count() {
        return count;
    }

    @Override
    public void close() {
        rows.close();
    }
}
