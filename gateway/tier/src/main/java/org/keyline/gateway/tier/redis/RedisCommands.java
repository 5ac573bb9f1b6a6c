package org.keyline.gateway.tier.redis;

import io.netty.handler.codec.redis.RedisMessage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends commands to a server. Confined to one event loop. */
public interface RedisCommands {
    /**
     * Sends a command.
     *
     * @param received receives the reply, which is released after the call. An error is also a
     * reply. If the connection is lost, no reply arrives
     */
    void ask(Consumer<RedisMessage> received, byte[]... words);

    /** Finds the server that stores a value. Confined to one event loop. */
    interface Servers {
        /** Returns the server; null unless the server accepts commands now and answers in time. */
        @Nullable
        RedisCommands of(byte[] name);
    }
}
