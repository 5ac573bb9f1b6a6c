package org.keyline.protocol.server;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Looks up accounts. Thread-safe; called on event loops, so it must answer from memory. */
public interface Accounts {
    /** Returns the account that matches a user's name and address best, or null. */
    @Nullable
    Account find(String user, InetAddress from);
}
