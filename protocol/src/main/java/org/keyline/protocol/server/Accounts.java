package org.keyline.protocol.server;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Who may log in. Thread-safe; called on event loops, so it answers from memory. */
public interface Accounts {
    /** The account that matches a user's name and address best, or null. */
    @Nullable
    Account find(String user, InetAddress from);
}
