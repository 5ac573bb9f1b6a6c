/**
 * The parts of a translated statement: its tokens, its values in the form that DuckDB accepts, and
 * the steps of the rewritten statement.
 *
 * <p>The package has more than 20 classes because the records that the rewriter and the session
 * exchange are small, and each kind of value has its own rules.
 */
@NullMarked
package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.NullMarked;
