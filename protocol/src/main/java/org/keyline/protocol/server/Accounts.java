package org.keyline.protocol.server;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Looks up accounts. Thread-safe; called on event loops, so it must return from memory. */
public interface Accounts {
    /** Returns the best match for a user's name and address; null if no account matches. */
    @Nullable
    Account find(String user, InetAddress from);
}
