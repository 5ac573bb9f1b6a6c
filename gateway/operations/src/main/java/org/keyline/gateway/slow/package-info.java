/** Logs slow statements, with the times that they spent waiting. */
@NullMarked
package org.keyline.gateway.slow;

import org.jspecify.annotations.NullMarked;
