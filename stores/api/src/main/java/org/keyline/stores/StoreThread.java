package org.keyline.stores;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A session as the store's servers know it. Servers number their sessions each for itself, so an id alone names no
 * session where a store has several of them.
 *
 * @param id what KILL takes; unsigned
 * @param server the address of the session's connection at the store; null if it is unknown
 * @param client the address of that connection at the gateway; null if it is unknown
 */
public record StoreThread(
        int id, @Nullable SocketAddress server, @Nullable SocketAddress client) {}
