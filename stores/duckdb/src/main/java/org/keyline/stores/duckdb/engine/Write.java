package org.keyline.stores.duckdb.engine;

import java.util.function.Consumer;

/**
 * A statement that changes few rows and commits by itself, so that it may share its transaction
 * with others.
 *
 * @param catalogVersion the version of the catalog for which it was translated
 * @param done receives the outcome once, after the commit, on the writer's thread; must not block
 */
public record Write(Work work, long catalogVersion, Consumer<WriteOutcome> done) {}
