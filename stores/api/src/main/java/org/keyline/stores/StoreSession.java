package org.keyline.stores;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.ReplyScanner;

/** A connection to the store. Confined to its event loop. */
public interface StoreSession {
    /** Returns the id by which the store knows the session; null if it is the client's own id. */
    default @Nullable StoreThread thread() {
        return null;
    }

    /**
     * Returns the scanner of the session's replies; null if it has none. The scanner restarts with
     * each command, and scans bytes before the listener receives them.
     */
    default @Nullable ReplyScanner replies() {
        return null;
    }

    /** Returns the flags of the replies, a bit set of {@link org.keyline.protocol.Capabilities}. */
    int capabilities();

    int initialStatus();

    /**
     * Sends a command. The next command may be sent only after {@link ReplyListener#end} or
     * {@link ReplyListener#lost}, except after {@link #sendAhead}.
     *
     * @param payload starts with the command byte, without packet header; borrowed until the method
     *     returns
     * @param listener receives the reply on the session's loop, possibly during this call
     */
    void send(ByteBuf payload, ReplyListener listener);

    /** Sends a command in one write with the next {@link #send}, which must follow at once. */
    default void sendAhead(ByteBuf payload, ReplyListener listener) {
        throw new UnsupportedOperationException("this session takes one command at a time");
    }

    /** Pauses the running reply; a few chunks can still arrive. */
    void pause();

    void resume();

    /**
     * Closes the session and rolls back an open transaction. The listener of a running command
     * receives {@code lost}; a remote store can still complete that command.
     */
    void close();

    default void abandon() {
        close();
    }

    /**
     * Begins a command of 16 MiB or more. Its packets go to the store as they arrive from the
     * client. This method and the following ones require {@link Store#isRemote}.
     *
     * @param first the payload of the first packet, 0xFFFFFF bytes; borrowed
     */
    default void begin(ByteBuf first, ReplyListener listener) {
        throw new UnsupportedOperationException("this store accepts only complete commands");
    }

    /** Sends the next packet. A payload shorter than 0xFFFFFF bytes is the last. */
    default void more(ByteBuf packet) {
        throw new UnsupportedOperationException("this store accepts only complete commands");
    }

    /** Sends a packet that the store awaits: part of a file, its empty end, or an auth response. */
    default void answer(ByteBuf packet) {
        throw new UnsupportedOperationException("this store requests no packets from the client");
    }

    /**
     * Returns whether the output buffer has room. If not, the sender of {@link #more} and
     * {@link #answer} should wait.
     */
    default boolean writable() {
        return true;
    }

    /** Runs a task once, on the loop, when {@link #writable} becomes true. */
    default void onWritable(Runnable task) {
        task.run();
    }

    /**
     * The answer of a store session to {@link #ask}.
     *
     * @param values the value of each requested name; empty if the store does not know one of them
     * @param counted whether counts were requested
     * @param counts the values of the requested status variables; empty if the store lacks one of
     *     them
     * @param status the server status flags of the answer; negative if it has none
     * @param collation the number of the collation of results in the answer's column definitions; 0
     *     if the definitions show no collation
     */
    record SessionAnswer(
            Map<String, @Nullable String> values,
            boolean counted,
            Map<String, String> counts,
            int status,
            int collation) {
        public SessionAnswer(Map<String, @Nullable String> values, int status) {
            this(values, false, Map.of(), status, 0);
        }

        public boolean hasStatus() {
            return status >= 0;
        }
    }

    /** A name for {@link #ask}: the last result's row count. The question overwrites that count. */
    String FOUND_ROWS = "FOUND_ROWS()";

    /** A name for {@link #ask}: the current catalog; null if the store reports no catalog. */
    String CATALOG = "CATALOG()";

    /**
     * A name for {@link #ask}: a value that changes when the store changes the account's global
     * privileges. The session itself can retain its earlier privileges.
     */
    String GLOBAL_RIGHTS = "GLOBAL_RIGHTS()";

    /** A name for {@link #ask}: the current schema. */
    String SCHEMA = "DATABASE()";

    /**
     * Asks the session for values, between two commands.
     *
     * @param asked names of system variables, and of functions with their parentheses
     * @param counts names of status variables, in lower case, from {@link Store#settingCounts}
     */
    default CompletionStage<SessionAnswer> ask(List<String> asked, List<String> counts) {
        return CompletableFuture.completedFuture(new SessionAnswer(Map.of(), -1));
    }
}
