package org.keyline.gateway.tier.redis;

import io.netty.handler.codec.redis.RedisMessage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What takes commands. Confined to one event loop. */
public interface RedisCommands {
    /**
     * Sends a command.
     *
     * @param told gets the reply, which is released afterwards; an error is one as any other. If the connection is lost, there is none
     */
    void ask(Consumer<RedisMessage> told, byte[]... words);

    /** Who has what, as an event loop sees it. */
    interface Servers {
        /** The server of a name if it takes commands and answers them in time; else null, and it may do so later. */
        @Nullable
        RedisCommands of(byte[] name);
    }
}
