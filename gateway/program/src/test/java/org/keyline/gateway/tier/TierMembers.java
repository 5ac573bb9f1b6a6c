package org.keyline.gateway.tier;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Random;

/** Three gateways in front of one store, which are linked with each other. */
interface TierMembers extends AutoCloseable {
    /** Returns a client of one of them. */
    Connection connect(int gateway, String schema) throws SQLException;

    /**
     * Disturbs one of them for this time; returns the kind of fault. A gateway that runs in another
     * process may have lost its clients.
     */
    String disturb(Random random, long whileNanos) throws Exception;

    @Override
    void close() throws IOException;
}
