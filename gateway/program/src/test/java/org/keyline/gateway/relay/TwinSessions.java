package org.keyline.gateway.relay;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;

/**
 * Creates {@link Twins}: sessions directly at one MariaDB, and through a gateway that runs during
 * the tests of a class.
 */
final class TwinSessions implements BeforeAllCallback, AfterAllCallback {
    private final String[] settings;

    @SuppressWarnings("NullAway.Init")
    private MariaDb store;

    @SuppressWarnings("NullAway.Init")
    private RelayGateway gateway;

    /** @param settings of the gateway, each {@code path=value} */
    TwinSessions(String... settings) {
        this.settings = settings;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        store = MariaDb.get("second");
        gateway = RelayGateway.start(store, settings);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        gateway.close();
    }

    MariaDb store() {
        return store;
    }

    RelayGateway gateway() {
        return gateway;
    }

    /** Returns a session of the store's user through the gateway, which sends no statement. */
    ClientConnection idle() throws Exception {
        ClientOptions options = ClientOptions.of("127.0.0.1", gateway.port(), MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .retrievePublicKey(true)
                .build();
        return ClientConnection.connect(options, RawClient.LOOP)
                .toCompletableFuture()
                .get();
    }

    /** Two sessions of the store's user, without a schema. */
    Twins open() throws Exception {
        return open(options -> options);
    }

    /** Returns two sessions of the store's user, with options that the caller changes. */
    Twins open(UnaryOperator<ClientOptions.Builder> as) throws Exception {
        return open(gateway, as);
    }

    /** Returns two sessions, one of which uses another gateway. */
    Twins open(RelayGateway through, UnaryOperator<ClientOptions.Builder> as) throws Exception {
        ClientOptions.Builder options = ClientOptions.of("127.0.0.1", 1, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .retrievePublicKey(true);
        return new Twins(store, through.port(), as.apply(options).build());
    }
}
