/**
 * The tables that may be cached: definition, key columns, lines, the SELECT that loads a line, and
 * the figures of their reads.
 */
@NullMarked
package org.keyline.gateway.table;

import org.jspecify.annotations.NullMarked;
