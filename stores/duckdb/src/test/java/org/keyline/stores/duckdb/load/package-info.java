/** Tests of the conversion of a file's bytes into records. */
@NullMarked
package org.keyline.stores.duckdb.load;

import org.jspecify.annotations.NullMarked;
