/**
 * Executes statements in DuckDB: opens the database file, caches prepared statements, provides the
 * threads, commits small writes in groups, and maps errors.
 */
@NullMarked
package org.keyline.stores.duckdb.engine;

import org.jspecify.annotations.NullMarked;
