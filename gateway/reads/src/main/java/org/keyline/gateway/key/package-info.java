/** Converts values of statements and cells of rows to canonical key bytes, and back to SQL. */
@NullMarked
package org.keyline.gateway.key;

import org.jspecify.annotations.NullMarked;
