package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.TlsMode;
import org.keyline.stores.mysql.server.ServerAddress;
import org.keyline.stores.mysql.server.StoreServers;

/**
 * Where the catalog is read, as whom, and how often. Immutable.
 *
 * @param servers of the store; each connection goes to the one that is in use then
 * @param user the gateway's own account; only what it may see is in the catalog
 * @param password empty for none
 * @param tls to the store
 * @param authorities whom {@link TlsMode#VERIFY} trusts; null: those of the platform
 * @param retrievePublicKey whether the store may be asked for its RSA key where the password must be encrypted without TLS
 * @param refreshPeriod from the end of one reading to the next; how long a definition that was changed behind the gateway's
 *     back may go unnoticed
 * @param maxAge how long the last reading answers while the store can't be read, beyond twice the time that the longest one took; after
 *     that no table is known
 * @param connectTimeout for the TCP connection, TLS and login each
 * @param readTimeout for any one silence of the store
 */
public record CatalogOptions(
        StoreServers servers,
        String user,
        String password,
        TlsMode tls,
        @Nullable Authorities authorities,
        boolean retrievePublicKey,
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

    /** No TLS, a reading every 10 s that answers for a minute, 5 s to connect, 10 s to read. */
    public static CatalogOptions of(String host, int port, String user, String password) {
        return of(new StoreServers(List.of(new ServerAddress(host, port))), user, password);
    }

    /** The same for several servers. */
    public static CatalogOptions of(StoreServers servers, String user, String password) {
        return new CatalogOptions(
                servers,
                user,
                password,
                TlsMode.OFF,
                null,
                true,
                Duration.ofSeconds(10),
                Duration.ofMinutes(1),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10));
    }

    /** The same under TLS or not. */
    public CatalogOptions withTls(TlsMode mode, @Nullable Authorities trusted) {
        return new CatalogOptions(
                servers,
                user,
                password,
                mode,
                trusted,
                retrievePublicKey,
                refreshPeriod,
                maxAge,
                connectTimeout,
                readTimeout);
    }

    /** The same with other times. */
    public CatalogOptions withPeriods(Duration refreshPeriod, Duration maxAge) {
        return new CatalogOptions(
                servers,
                user,
                password,
                tls,
                authorities,
                retrievePublicKey,
                refreshPeriod,
                maxAge,
                connectTimeout,
                readTimeout);
    }

    /** The same at one server, whichever is in use, where silence lasts no longer than this. */
    public CatalogOptions at(ServerAddress server, Duration silence) {
        return new CatalogOptions(
                new StoreServers(List.of(server)),
                user,
                password,
                tls,
                authorities,
                retrievePublicKey,
                refreshPeriod,
                maxAge,
                silence,
                silence);
    }

    /** The server that is in use now. */
    public ServerAddress server() {
        return servers.current();
    }

    /** The same for messages: {@code mysql://host:port}. */
    public String address() {
        return server().toString();
    }

    /** Tells no password. */
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
