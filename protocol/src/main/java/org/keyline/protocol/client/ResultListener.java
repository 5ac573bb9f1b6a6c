package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.keyline.protocol.ColumnDefinition;

/**
 * Receives the reply to one command decoded. Per result: {@link #columns} and rows, if it has any, then {@link
 * #resultEnd}. The whole ends with exactly one of {@link #end} and {@link #failed}. Called on the connection's loop.
 */
public interface ResultListener {
    /** A result set begins. */
    default void columns(List<ColumnDefinition> columns) {}

    /**
     * A row, in the text or the binary protocol as the command was.
     *
     * @param row borrowed until the method returns
     */
    default void row(ByteBuf row) {}

    /** A result ended without error; others may follow. */
    default void resultEnd(ReplySummary summary) {}

    /** A statement was prepared. */
    default void prepared(PreparedStatement statement) {}

    /** The reply is complete; {@link ReplySummary#error} tells whether it failed. Valid until the method returns. */
    void end(ReplySummary summary);

    /** The connection is lost, or the command was never sent; whether the server executed it is unknown. */
    void failed(Throwable cause);
}
