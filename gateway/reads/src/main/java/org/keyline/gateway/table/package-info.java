/** Knows the tables that may be cached: their definitions, lines, load statements and figures. */
@NullMarked
package org.keyline.gateway.table;

import org.jspecify.annotations.NullMarked;
