/**
 * The access to DuckDB: the database file, connections with their prepared statements, threads,
 * group commit, errors.
 */
@NullMarked
package org.keyline.stores.duckdb.engine;

import org.jspecify.annotations.NullMarked;
