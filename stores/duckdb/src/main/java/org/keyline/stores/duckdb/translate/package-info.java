/**
 * A statement in tokens and values, values as DuckDB takes them, and what a rewritten statement
 * consists of.
 *
 * <p>It has more than 20 classes because the records that the rewriter and the session exchange are
 * small, and each kind of value has its own rules.
 */
@NullMarked
package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.NullMarked;
