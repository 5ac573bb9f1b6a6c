/** Tests of how the bytes of a file become records. */
@NullMarked
package org.keyline.stores.duckdb.load;

import org.jspecify.annotations.NullMarked;
