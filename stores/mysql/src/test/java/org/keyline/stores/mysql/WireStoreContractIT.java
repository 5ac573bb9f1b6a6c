package org.keyline.stores.mysql;

import java.time.Duration;
import java.util.Map;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.fixtures.MariaDbServer;
import org.keyline.stores.Store;
import org.keyline.stores.contract.StoreContract;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.WireCatalog;

/** A real MariaDB over the wire fulfils the contract of stores. */
final class WireStoreContractIT extends StoreContract {
    private static final String USER = "keyline";

    @Override
    protected Store open() {
        int port = MariaDbServer.get().address().getPort();
        ClientOptions own = ClientOptions.of("127.0.0.1", port, USER)
                .password(MariaDbServer.PASSWORD)
                .build();
        // Definitions are read when they are reported as changed, not by time.
        CatalogOptions definitions = CatalogOptions.of("127.0.0.1", port, USER, MariaDbServer.PASSWORD)
                .withPeriods(Duration.ofHours(1), Duration.ofHours(2));
        WireAccounts accounts = new WireAccounts(Map.of(USER, new WireAccounts.Account(USER, MariaDbServer.PASSWORD)));
        return new WireStore(() -> own, accounts, WireCatalog.open(definitions), null, definitions.servers(), null);
    }

    @Override
    protected String user() {
        return USER;
    }
}
