/**
 * Replies in MySQL's wire format. Worker threads encode them from DuckDB's results or from rows of
 * the store itself.
 */
@NullMarked
package org.keyline.stores.duckdb.reply;

import org.jspecify.annotations.NullMarked;
