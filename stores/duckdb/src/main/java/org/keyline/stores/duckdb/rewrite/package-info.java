/**
 * Rewrites MySQL statements for DuckDB. One pass over the tokens of the planner's lexer writes
 * DuckDB's text. It resolves names, derives types and makes MySQL's coercions explicit, because
 * DuckDB compares and computes by other rules. Most functions are macros of {@code macros.sql}; the
 * class {@code Functions} writes the others. Literals and placeholders become parameters, so that
 * statements that differ only in values share one statement of DuckDB.
 *
 * <p>The package has more than 20 classes because each clause and each group of typed functions has
 * its own class. Only {@link org.keyline.stores.duckdb.rewrite.Rewriter} and {@link
 * org.keyline.stores.duckdb.rewrite.Macros} are public.
 */
@NullMarked
package org.keyline.stores.duckdb.rewrite;

import org.jspecify.annotations.NullMarked;
