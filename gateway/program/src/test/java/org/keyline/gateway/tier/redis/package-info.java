/** Tests of the ways to Redis and Valkey servers. */
@NullMarked
package org.keyline.gateway.tier.redis;

import org.jspecify.annotations.NullMarked;
