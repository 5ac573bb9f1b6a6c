package org.keyline.stores;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.ReplyScanner;

/** One connection to the store, with its variables, transaction and prepared statements. Confined to its event loop. */
public interface StoreSession {
    /** Returns the session as the store's servers know it; null if the store knows it by the client's own id. */
    default @Nullable StoreThread thread() {
        return null;
    }

    /** What follows the replies, where the session does so itself: begun with each command, and fed before its listener. Else null. */
    default @Nullable ReplyScanner replies() {
        return null;
    }

    /** Flags that shape its replies; a bit set of {@link org.keyline.protocol.Capabilities}. */
    int capabilities();

    /** Status flags as the session began. */
    int initialStatus();

    /**
     * Runs one command. The next one may be sent only after the listener heard {@link ReplyListener#end} or
     * {@link ReplyListener#lost}.
     *
     * @param payload command byte first, without packet header; borrowed until the method returns
     * @param listener hears the reply on the session's loop, at the earliest during this call
     */
    void send(ByteBuf payload, ReplyListener listener);

    /** Stops the flow of the running reply soon: a few chunks may still arrive. */
    void pause();

    /** Lets the reply flow again. */
    void resume();

    /**
     * Ends the session and rolls back what is open. The listener of a running command hears {@code lost}; a remote store may
     * still run that command to its end.
     */
    void close();

    /** Closes the session, and asks the store to end the running command, whose outcome nobody needs. */
    default void abandon() {
        close();
    }

    /**
     * Begins a command of 16 MiB or more, whose packets go to the store as they come from the client. Only for a store that
     * {@link Store#isRemote}, as are the methods below.
     *
     * @param first its first packet's payload, of 0xFFFFFF bytes; borrowed
     */
    default void begin(ByteBuf first, ReplyListener listener) {
        throw new UnsupportedOperationException("this store takes commands whole");
    }

    /** Goes on with a command that was begun: one packet's payload; the first that is shorter than 0xFFFFFF bytes ends it. */
    default void more(ByteBuf packet) {
        throw new UnsupportedOperationException("this store takes commands whole");
    }

    /** Sends what the reply awaits from the client: a piece of a file, an empty packet behind it, or an auth response. */
    default void answer(ByteBuf packet) {
        throw new UnsupportedOperationException("this store asks the client for nothing");
    }

    /** Whether the store takes more of what {@link #more} and {@link #answer} send. */
    default boolean writable() {
        return true;
    }

    /** Runs a task once, on the loop, when {@link #writable} is true again. */
    default void onWritable(Runnable task) {
        task.run();
    }

    /**
     * What a store session says of itself.
     *
     * @param values of what was asked for; empty if the store does not know one of them
     * @param counted whether it was asked for counts
     * @param counts the values of those status variables; empty if the store does not tell one of them
     * @param status flags of the answer; negative if it has none
     * @param collation the number of the collation of results, as the definitions of the answer show it; 0 if they show none
     */
    record Told(
            Map<String, @Nullable String> values,
            boolean counted,
            Map<String, String> counts,
            int status,
            int collation) {
        /** The answer to a question for values alone, without definitions. */
        public Told(Map<String, @Nullable String> values, int status) {
            this(values, false, Map.of(), status, 0);
        }

        public boolean hasStatus() {
            return status >= 0;
        }
    }

    /** Among what is asked for: the count of the last result before the question, which is lost by it. */
    String FOUND_ROWS = "FOUND_ROWS()";

    /** Among what is asked for: the catalog that names are in. The answer is null where the store does not say which it is. */
    String CATALOG = "CATALOG()";

    /**
     * Among what is asked for: something that differs once the global rights of the account differ at the store, whatever rights the
     * session has kept since its login.
     */
    String GLOBAL_RIGHTS = "GLOBAL_RIGHTS()";

    /** Among what is asked for: the current schema. */
    String SCHEMA = "DATABASE()";

    /**
     * Asks about the session, between two commands.
     *
     * @param asked names of system variables, and of functions with their parentheses
     * @param counts names of status variables, in lower case; none unless the store has some in {@link Store#settingCounts}
     */
    default CompletionStage<Told> ask(List<String> asked, List<String> counts) {
        return CompletableFuture.completedFuture(new Told(Map.of(), -1));
    }
}
