package org.keyline.gateway.tier.redis;

import io.netty.handler.codec.redis.RedisMessage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A receiver of commands. Confined to one event loop. */
public interface RedisCommands {
    /**
     * Sends a command.
     *
     * @param received receives the reply, which is released afterwards; an error is a reply as
     *     well. If the connection is lost, there is none
     */
    void ask(Consumer<RedisMessage> received, byte[]... words);

    /** The servers of names, as an event loop sees them. */
    interface Servers {
        /**
         * Returns the server of a name if it accepts commands and answers them in time; else null,
         * and it may do so later.
         */
        @Nullable
        RedisCommands of(byte[] name);
    }
}
