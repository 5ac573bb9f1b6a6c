/**
 * From Calcite's tree of a MySQL statement to DuckDB's text: names are resolved, types derived, MySQL's functions and coercions
 * made explicit, and the result printed in DuckDB's dialect.
 *
 * <p>It has more than 20 classes because each group of MySQL's functions is one, and only one class is public: nothing but this package
 * may see Calcite.
 */
@NullMarked
package org.keyline.stores.duckdb.calcite;

import org.jspecify.annotations.NullMarked;
