package org.keyline.gateway;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps SIGHUP from ending the process: a terminal that closes, or an operator who means "read your files again", is no reason to stop
 * serving. The JDK has signals in a class that is not part of its API, so it is looked up by name, and done without where it is not.
 */
final class Hangup {
    private static final Logger LOG = LoggerFactory.getLogger(Hangup.class);

    private Hangup() {}

    static void ignore() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle told = lookup.findStatic(Hangup.class, "told", MethodType.methodType(void.class, Object.class))
                    .asType(MethodType.methodType(void.class, signal));
            Object hup = lookup.findConstructor(signal, MethodType.methodType(void.class, String.class))
                    .invoke("HUP");
            Object unused = lookup.findStatic(signal, "handle", MethodType.methodType(handler, signal, handler))
                    .invoke(hup, MethodHandleProxies.asInterfaceInstance(handler, told));
        } catch (Throwable e) {
            LOG.debug("SIGHUP ends the process: {}", e.toString());
        }
    }

    @SuppressWarnings("UnusedMethod") // called by its handle
    private static void told(Object signal) {
        LOG.info("{} ignored: the configuration is read at start only", signal);
    }
}
