/**
 * Rewrites MySQL statements for DuckDB. One pass over the tokens of the planner's lexer writes
 * DuckDB's text. It resolves names, derives types and makes MySQL's coercions explicit, because
 * DuckDB compares and computes by other rules. Functions are macros of {@code macros.sql}; only
 * those whose result depends on the types of their arguments are in Java. Literals and placeholders
 * become parameters, so that statements that differ only in values share one statement of DuckDB.
 *
 * <p>The package has more than 20 classes because each clause and each group of typed functions has
 * its own. Only {@link org.keyline.stores.duckdb.rewrite.Rewriter} and {@link
 * org.keyline.stores.duckdb.rewrite.Macros} are public.
 */
@NullMarked
package org.keyline.stores.duckdb.rewrite;

import org.jspecify.annotations.NullMarked;
