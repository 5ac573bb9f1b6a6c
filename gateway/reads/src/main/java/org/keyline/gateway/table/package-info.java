/** The tables that may be cached: definition, key columns, lines, loads and figures. */
@NullMarked
package org.keyline.gateway.table;

import org.jspecify.annotations.NullMarked;
