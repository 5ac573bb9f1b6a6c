package org.keyline.stores.duckdb.engine;

import java.util.function.Consumer;

/**
 * An autocommit statement that changes few rows. It can share a transaction with other writes.
 *
 * @param catalogVersion the version of the catalog for which the statement was translated
 * @param done receives the outcome once, after the commit or failure, on the writer's thread; must
 *     not block
 */
public record Write(Steps work, long catalogVersion, Consumer<WriteOutcome> done) {}
