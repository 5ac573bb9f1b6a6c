/**
 * Reads the tokens and values of a MySQL statement, converts the values for DuckDB, and describes
 * the translated statement as a list of steps.
 *
 * <p>The package has more than 20 classes because the records that the rewriter and the session
 * exchange are small, and each kind of value has its own rules.
 */
@NullMarked
package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.NullMarked;
