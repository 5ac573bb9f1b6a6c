/** The warm-up: statements before the gateway is ready, so that classes are loaded. */
@NullMarked
package org.keyline.gateway.warmup;

import org.jspecify.annotations.NullMarked;
