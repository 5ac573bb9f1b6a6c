package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.keyline.protocol.ColumnDefinition;

/**
 * Receives the decoded reply to one command. For each result: {@link #columns} and rows, if it has
 * any, then {@link #resultEnd}. The last call is exactly one of {@link #end} and {@link #failed}.
 * Called on the connection's event loop.
 */
public interface ResultListener {
    /** Begins a result set. */
    default void columns(List<ColumnDefinition> columns) {}

    /**
     * Receives a row, in the text or the binary protocol, as the command was.
     *
     * @param row borrowed until the method returns
     */
    default void row(ByteBuf row) {}

    /** Ends a result without error; others may follow. */
    default void resultEnd(ReplySummary summary) {}

    /** Receives a prepared statement. */
    default void prepared(PreparedStatement statement) {}

    /**
     * Reports that the reply is complete. {@link ReplySummary#error} says whether it failed. Valid
     * until the method returns.
     */
    void end(ReplySummary summary);

    /**
     * Reports that the connection is lost, or that the command was never sent. Whether the server
     * executed the command is unknown.
     */
    void failed(Throwable cause);
}
