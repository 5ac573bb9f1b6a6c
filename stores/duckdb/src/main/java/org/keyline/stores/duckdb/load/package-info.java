/**
 * The files of LOAD DATA LOCAL INFILE: how they come from the client, and how their bytes become
 * records.
 */
@NullMarked
package org.keyline.stores.duckdb.load;

import org.jspecify.annotations.NullMarked;
