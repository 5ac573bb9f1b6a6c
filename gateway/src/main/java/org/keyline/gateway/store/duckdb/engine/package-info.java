/** DuckDB behind one door: the database file, connections with their prepared statements, threads, group commit, errors. */
@NullMarked
package org.keyline.gateway.store.duckdb.engine;

import org.jspecify.annotations.NullMarked;
