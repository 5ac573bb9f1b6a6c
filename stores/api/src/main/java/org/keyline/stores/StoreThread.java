package org.keyline.stores;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A session as the store's servers identify it. Each server numbers its own sessions, so the id
 * alone is ambiguous.
 *
 * @param id the argument of KILL; unsigned
 * @param server the address of the session's connection at the store; null if unknown
 * @param client the address of the session's connection at the gateway; null if unknown
 */
public record StoreThread(
        int id, @Nullable SocketAddress server, @Nullable SocketAddress client) {}
