/**
 * From Calcite's tree of a MySQL statement to DuckDB's text: names are resolved, types derived, MySQL's functions and coercions
 * made explicit, and the result printed in DuckDB's dialect.
 */
@NullMarked
package org.keyline.stores.duckdb.calcite;

import org.jspecify.annotations.NullMarked;
