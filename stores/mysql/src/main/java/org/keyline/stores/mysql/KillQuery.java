package org.keyline.stores.mysql;

import java.util.concurrent.CompletableFuture;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.client.ServerErrorException;

/** The end of the statement that a session of the store is running. It is done, too, where there is no such session. */
record KillQuery(CompletableFuture<Void> done) implements ResultListener {
    /** @param id the store's number of the session, unsigned */
    static CompletableFuture<Void> send(ClientConnection connection, int id) {
        KillQuery kill = new KillQuery(new CompletableFuture<>());
        connection.query("KILL QUERY " + Integer.toUnsignedString(id), kill);
        return kill.done;
    }

    @Override
    public void end(ReplySummary summary) {
        ErrPacket error = summary.error();
        if (error == null || error.code() == ErrorCode.ER_NO_SUCH_THREAD.number()) {
            done.complete(null);
        } else {
            done.completeExceptionally(new ServerErrorException(error));
        }
    }

    @Override
    public void failed(Throwable cause) {
        done.completeExceptionally(cause);
    }
}
