/**
 * MySQL statements as statements of DuckDB: the tokens of a statement become text that Calcite's parser reads, the tree is
 * rewritten by MySQL's rules of types, names and order, and printed in DuckDB's dialect. Literals and placeholders become
 * parameters, so that what differs only in values shares one DuckDB statement.
 *
 * <p>It has more than 20 classes because each form that MySQL writes otherwise than the parser reads it is one, small and without state;
 * all of them are steps of one pass over the tokens.
 */
@NullMarked
package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.NullMarked;
