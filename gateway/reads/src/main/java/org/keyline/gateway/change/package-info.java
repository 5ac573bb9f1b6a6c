/** Invalidates lines by fences for writes through this gateway, and by signals of other writes. */
@NullMarked
package org.keyline.gateway.change;

import org.jspecify.annotations.NullMarked;
