package org.keyline.protocol.server;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Looks up accounts. Thread-safe; called on event loops, so it must answer from memory. */
public interface Accounts {
    /** Returns the account of a user at an address; null if none matches. */
    @Nullable
    Account find(String user, InetAddress from);
}
