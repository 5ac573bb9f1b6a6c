/** Receives the file of a LOAD DATA LOCAL INFILE from the client and splits it into records. */
@NullMarked
package org.keyline.stores.duckdb.load;

import org.jspecify.annotations.NullMarked;
