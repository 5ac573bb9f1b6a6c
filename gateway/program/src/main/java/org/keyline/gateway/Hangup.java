package org.keyline.gateway;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes SIGHUP reload the configuration. By default, the signal would stop the process, for example
 * when a terminal closes. The JDK's signal class is not part of its API, so it is looked up by
 * name. Without that class, SIGHUP stops the process.
 */
final class Hangup {
    private static final Logger LOG = LoggerFactory.getLogger(Hangup.class);

    private static volatile @Nullable Runnable task;

    private Hangup() {}

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
            LOG.debug("Keyline cannot handle SIGHUP, so SIGHUP stops the process: {}", e.toString());
        }
    }

    @SuppressWarnings("UnusedMethod") // called by its method handle
    private static void received(Object signal) {
        Runnable received = task;
        if (received == null) {
            LOG.info("Keyline is still starting and ignores {}. Send it again when Keyline is ready.", signal);
        } else {
            received.run();
        }
    }
}
