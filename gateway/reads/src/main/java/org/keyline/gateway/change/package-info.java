/** Invalidation of lines: fences of writes through this gateway, and signals of other changes. */
@NullMarked
package org.keyline.gateway.change;

import org.jspecify.annotations.NullMarked;
