package org.keyline.ycsb;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A {@link Responder} in a separate process, whose class path has Netty from the gateway's jar. */
record ResponderProcess(ServerProcess process, Target target) implements AutoCloseable {
    static final String READY = "responder ready";

    /** A name instead of the class, because the class path of this process has no Netty. */
    private static final String PROGRAM = ResponderProcess.class.getPackageName() + ".Responder";

    /** Starts a responder with the transport that the settings of the gateways name. */
    static ResponderProcess start(Options options) throws IOException {
        int port = ServerProcess.freePort();
        String transport = options.all("set").stream()
                .filter(setting -> setting.startsWith("transport="))
                .map(setting -> setting.substring("transport=".length()))
                .findFirst()
                .orElse("auto");
        List<String> command = new ArrayList<>(List.of(YcsbRuns.java()));
        command.addAll(options.all("java"));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + options.path("gateway"),
                PROGRAM,
                String.valueOf(port),
                transport));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        return new ResponderProcess(ServerProcess.start(builder, READY), Target.onLoopback(port));
    }

    Duration processorTime() {
        return process.processorTime();
    }

    @Override
    public void close() {
        process.close();
    }
}
