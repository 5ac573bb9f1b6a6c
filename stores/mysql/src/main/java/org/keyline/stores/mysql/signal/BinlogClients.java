package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.network.SSLMode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.SSLSocket;
import org.keyline.stores.mysql.catalog.Authorities;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.server.ServerAddress;

final class BinlogClients {
    private BinlogClients() {}

    /**
     * Returns a client that is not connected and has no listeners.
     *
     * @param from the position after which the client begins
     * @param serverId unique among the replicas of the store
     * @param period the time between heartbeats
     */
    static BinaryLogClient of(
            CatalogOptions options, ServerAddress server, Gtids from, long serverId, Duration period) {
        BinaryLogClient connection =
                new BinaryLogClient(server.host(), server.port(), options.user(), options.password());
        EventDeserializer deserializer = new EventDeserializer();
        deserializer.setCompatibilityMode(
                EventDeserializer.CompatibilityMode.CHAR_AND_BINARY_AS_BYTE_ARRAY,
                EventDeserializer.CompatibilityMode.DATE_AND_TIME_AS_LONG_MICRO,
                EventDeserializer.CompatibilityMode.INVALID_DATE_AND_TIME_AS_MIN_VALUE);
        deserializer.setEventDataDeserializer(EventType.TRANSACTION_PAYLOAD, CompressedTransaction.SKIPPED);
        deserializer.setEventDataDeserializer(EventType.QUERY, LoggedQuery.READER);
        // The library's readers of row events also use the table maps. The library accepts a custom
        // reader of table maps only in this wrapper.
        deserializer.setEventDataDeserializer(
                EventType.TABLE_MAP,
                new EventDeserializer.EventDataWrapper.Deserializer(new TableMaps(), new TableMaps()));
        connection.setEventDeserializer(deserializer);
        connection.setServerId(serverId);
        connection.setGtidSet(from.toString());
        connection.setKeepAlive(false);
        connection.setHeartbeatInterval(Math.max(1, period.toMillis()));
        connection.setConnectTimeout(options.connectTimeout().toMillis());
        connection.setSSLMode(
                switch (options.tls()) {
                    case OFF -> SSLMode.DISABLED;
                    case PREFERRED -> SSLMode.PREFERRED;
                    case REQUIRED -> SSLMode.REQUIRED;
                    case VERIFY -> SSLMode.VERIFY_IDENTITY;
                });
        Authorities authorities = options.authorities();
        if (authorities != null) {
            connection.setSslSocketFactory(socket -> secured(socket, authorities));
        }
        return connection;
    }

    private static SSLSocket secured(Socket socket, Authorities authorities) throws SocketException {
        try {
            String host = ((InetSocketAddress) socket.getRemoteSocketAddress()).getHostString();
            return (SSLSocket)
                    authorities.context().getSocketFactory().createSocket(socket, host, socket.getPort(), true);
        } catch (IOException | GeneralSecurityException e) {
            SocketException failure = new SocketException("TLS cannot be set up: " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }
}
