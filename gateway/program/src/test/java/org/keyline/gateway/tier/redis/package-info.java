/** Tests of the connections to Redis and Valkey servers. */
@NullMarked
package org.keyline.gateway.tier.redis;

import org.jspecify.annotations.NullMarked;
