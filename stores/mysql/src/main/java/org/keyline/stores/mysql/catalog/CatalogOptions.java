package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.TlsMode;
import org.keyline.stores.mysql.server.ServerAddress;
import org.keyline.stores.mysql.server.StoreServers;

/**
 * Options of reading the catalog. Immutable.
 *
 * @param servers the servers of the store; each new connection goes to the server in use
 * @param user the gateway's own account; the catalog has only the tables that this account may see
 * @param password the password of this account; can be empty
 * @param authorities the authorities that {@link TlsMode#VERIFY} trusts; null for the platform's
 * authorities
 * @param refreshPeriod the time from the end of one reading to the start of the next reading.
 * Periodic readings notice definitions that changed without a statement through the gateway
 * @param maxAge while the store cannot be read, the last reading is valid for this time plus twice
 * the duration of the longest reading. After that, no table is known
 * @param readTimeout how long the store may be silent before a query fails
 */
public record CatalogOptions(
        StoreServers servers,
        String user,
        String password,
        TlsMode tls,
        @Nullable Authorities authorities,
        Duration refreshPeriod,
        Duration maxAge,
        Duration connectTimeout,
        Duration readTimeout) {
    public CatalogOptions {
        requireNonNull(servers, "servers is null");
        requireNonNull(user, "user is null");
        requireNonNull(password, "password is null");
        requireNonNull(tls, "tls is null");
        requirePositive("refreshPeriod", refreshPeriod);
        requirePositive("maxAge", maxAge);
        requirePositive("connectTimeout", connectTimeout);
        requirePositive("readTimeout", readTimeout);
    }

    /**
     * Returns options with the defaults: no TLS, a reading every 10 s that is valid for a minute,
     * timeouts of 5 s to connect and 10 s to read.
     */
    public static CatalogOptions of(String host, int port, String user, String password) {
        return of(new StoreServers(List.of(new ServerAddress(host, port))), user, password);
    }

    public static CatalogOptions of(StoreServers servers, String user, String password) {
        return new CatalogOptions(
                servers,
                user,
                password,
                TlsMode.OFF,
                null,
                Duration.ofSeconds(10),
                Duration.ofMinutes(1),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10));
    }

    public CatalogOptions withTls(TlsMode mode, @Nullable Authorities trusted) {
        return new CatalogOptions(
                servers, user, password, mode, trusted, refreshPeriod, maxAge, connectTimeout, readTimeout);
    }

    public CatalogOptions withPeriods(Duration refreshPeriod, Duration maxAge) {
        return new CatalogOptions(
                servers, user, password, tls, authorities, refreshPeriod, maxAge, connectTimeout, readTimeout);
    }

    /** Returns options for one server, with {@code silence} as the connect and read timeout. */
    public CatalogOptions at(ServerAddress server, Duration silence) {
        return new CatalogOptions(
                new StoreServers(List.of(server)),
                user,
                password,
                tls,
                authorities,
                refreshPeriod,
                maxAge,
                silence,
                silence);
    }

    public ServerAddress server() {
        return servers.current();
    }

    /** Returns {@code mysql://host:port}, for messages. */
    public String address() {
        return server().toString();
    }

    /** Returns a text without the password. */
    @Override
    public String toString() {
        return "CatalogOptions[" + user + "@" + address() + ", tls " + tls + "]";
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isNegative() || value.isZero() || value.toMillis() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 1 ms..24 days)");
        }
    }
}
