/** Tests of what the engine does with writes that come at the same time. */
@NullMarked
package org.keyline.stores.duckdb.engine;

import org.jspecify.annotations.NullMarked;
