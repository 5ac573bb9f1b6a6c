/**
 * MySQL statements as statements of DuckDB: the tokens of a statement become text that Calcite's parser reads, the tree is
 * rewritten by MySQL's rules of types, names and order, and printed in DuckDB's dialect. Literals and placeholders become
 * parameters, so that what differs only in values shares one DuckDB statement.
 */
@NullMarked
package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.NullMarked;
