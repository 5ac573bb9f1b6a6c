/** Executes statements before the gateway is ready, so that their classes are already loaded. */
@NullMarked
package org.keyline.gateway.warmup;

import org.jspecify.annotations.NullMarked;
