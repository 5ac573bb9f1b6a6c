package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.keyline.protocol.ColumnDefinition;

/**
 * A listener for the decoded reply to one command. For each result, it receives {@link #columns}
 * and rows, if any, then {@link #resultEnd}. The last call is exactly one of {@link #end} and
 * {@link #failed}. Called on the connection's event loop.
 */
public interface ResultListener {
    default void columns(List<ColumnDefinition> columns) {}

    /**
     * Receives a row in the text or the binary protocol, depending on the command.
     *
     * @param row borrowed until the method returns
     */
    default void row(ByteBuf row) {}

    /** Called at the end of a result without error. Further results can follow. */
    default void resultEnd(ReplySummary summary) {}

    default void prepared(PreparedStatement statement) {}

    /**
     * Called when the reply is complete or has an {@link ReplySummary#error}. The summary is valid
     * during the call.
     */
    void end(ReplySummary summary);

    /** Called when the connection is lost. The server may have executed the command. */
    void failed(Throwable cause);
}
