package org.keyline.protocol.server;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Looks up accounts. Thread-safe; called on event loops, so it must return from memory. */
public interface Accounts {
    /** Returns null if no account matches. */
    @Nullable
    Account find(String user, InetAddress from);
}
