/** Files of LOAD DATA LOCAL INFILE: their transfer from the client and division into records. */
@NullMarked
package org.keyline.stores.duckdb.load;

import org.jspecify.annotations.NullMarked;
