package org.keyline.gateway;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has SIGHUP read the configuration again, rather than end the process: so operators mean it, and a terminal that closes is no reason to
 * stop serving. The JDK has signals in a class that is not part of its API, so it is looked up by name, and done without where it is not.
 */
final class Hangup {
    private static final Logger LOG = LoggerFactory.getLogger(Hangup.class);

    private static volatile @Nullable Runnable task;

    private Hangup() {}

    /** What a signal does from now on. */
    static void runs(Runnable received) {
        task = received;
    }

    static void ignore() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle received = lookup.findStatic(
                            Hangup.class, "received", MethodType.methodType(void.class, Object.class))
                    .asType(MethodType.methodType(void.class, signal));
            Object hup = lookup.findConstructor(signal, MethodType.methodType(void.class, String.class))
                    .invoke("HUP");
            Object unused = lookup.findStatic(signal, "handle", MethodType.methodType(handler, signal, handler))
                    .invoke(hup, MethodHandleProxies.asInterfaceInstance(handler, received));
        } catch (Throwable e) {
            LOG.debug("SIGHUP ends the process: {}", e.toString());
        }
    }

    @SuppressWarnings("UnusedMethod") // called by its handle
    private static void received(Object signal) {
        Runnable received = task;
        if (received == null) {
            LOG.info("{} ignored: the gateway is not ready yet", signal);
        } else {
            received.run();
        }
    }
}
