package org.keyline.stores.duckdb;

import java.time.Clock;
import org.keyline.stores.Store;
import org.keyline.stores.contract.StoreContract;
import org.keyline.stores.duckdb.engine.EngineOptions;

/** The embedded store fulfils the contract of stores. */
final class EmbeddedStoreContractTest extends StoreContract {
    @Override
    protected Store open() {
        return DuckDbStore.open(EngineOptions.of(null), Clock.systemUTC());
    }

    @Override
    protected String user() {
        return "root";
    }
}
