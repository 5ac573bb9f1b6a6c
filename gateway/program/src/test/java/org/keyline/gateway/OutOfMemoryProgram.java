package org.keyline.gateway;

import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.buffer.ByteBuf;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.log.FatalErrors;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreSession;

/**
 * A gateway in a separate process. At the place named by the first argument, it throws an
 * OutOfMemoryError on a client's request.
 */
final class OutOfMemoryProgram {
    private static final AtomicInteger RELOADS = new AtomicInteger();

    private OutOfMemoryProgram() {}

    public static void main(String[] args) throws Exception {
        String place = args[0];
        FatalErrors.arm(message -> System.err.println("keyline: " + message));
        LiveConfig config = LiveConfig.read(() -> {
            if (place.equals("worker") && RELOADS.getAndIncrement() > 0) {
                throw new OutOfMemoryError(place);
            }
            return new ConfigLoader(Map.of())
                    .set("listen=127.0.0.1:0")
                    .set("http=off")
                    .set("eventLoops=1")
                    .set("log.level=error")
                    .set("demo=true");
        });
        Store store = place.equals("worker") ? Stores.open(config) : throwing(Stores.open(config), place);
        try (Gateway gateway = new Gateway(config, store, () -> {}, Ticker.systemTicker())) {
            if (place.equals("task")) {
                gateway.loops().next().execute(() -> {
                    throw new OutOfMemoryError(place);
                });
            }
            System.out.println("keyline ready on " + gateway.listening());
            new CountDownLatch(1).await();
        }
    }

    /** Commands of clients or of loads throw when they are sent. */
    private static Store throwing(Store store, String place) {
        return proxy(Store.class, (proxy, method, arguments) -> {
            Object result = call(store, method, arguments);
            if (!method.getName().equals("open") || !(arguments[0] instanceof SessionIdentity identity)) {
                return result;
            }
            boolean own = identity.connectionId() == 0;
            boolean fails = place.equals("handler") ? !own : place.equals("load") && own;
            return ((CompletionStage<?>) result).thenApply(opened -> fails ? throwing((StoreSession) opened) : opened);
        });
    }

    private static StoreSession throwing(StoreSession session) {
        return proxy(StoreSession.class, (proxy, method, arguments) -> {
            if (method.getName().equals("send") && asked(arguments[0])) {
                throw new OutOfMemoryError("send");
            }
            return call(session, method, arguments);
        });
    }

    /** The statements that fill the demo's tables succeed. */
    private static boolean asked(Object payload) {
        String command = ((ByteBuf) payload).toString(StandardCharsets.UTF_8);
        return command.startsWith("SELECT", 1) && command.contains("user_id");
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
