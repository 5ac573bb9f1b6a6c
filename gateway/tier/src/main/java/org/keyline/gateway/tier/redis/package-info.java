/** Connections to Redis and Valkey, and the assignment of names to servers. */
@NullMarked
package org.keyline.gateway.tier.redis;

import org.jspecify.annotations.NullMarked;
