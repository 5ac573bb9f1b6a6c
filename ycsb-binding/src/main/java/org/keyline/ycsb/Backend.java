package org.keyline.ycsb;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The store of an experiment's gateways. */
interface Backend extends AutoCloseable {
    /** Returns the options of a gateway's serve command that select this store. */
    List<String> serveOptions();

    Target through(GatewayProcess gateway, String database);

    /** Returns the option {@code ddl} of {@code create-table}. */
    String ddl();

    /** Returns whether all gateways use the same tables, so that one load of them suffices. */
    boolean isShared();

    /** Returns the processor time of the store so far; zero if unknown. */
    Duration processorTime();

    @Override
    void close() throws IOException;

    /** Returns a backend in which each gateway has its own embedded store. */
    static Backend embedded(String store) {
        return new Backend() {
            @Override
            public List<String> serveOptions() {
                return List.of("--store", store);
            }

            @Override
            public Target through(GatewayProcess gateway, String database) {
                return gateway.target().withDatabase(database);
            }

            @Override
            public String ddl() {
                return "doris";
            }

            @Override
            public boolean isShared() {
                return false;
            }

            @Override
            public Duration processorTime() {
                return Duration.ZERO;
            }

            @Override
            public void close() {}
        };
    }
}
