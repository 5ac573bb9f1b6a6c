/** Connects to Redis or Valkey, and finds the server of each value. */
@NullMarked
package org.keyline.gateway.tier.redis;

import org.jspecify.annotations.NullMarked;
