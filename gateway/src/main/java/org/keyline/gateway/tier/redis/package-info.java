/** Redis and Valkey servers: connections to them, and which of them has what. Knows nothing of lines and gateways. */
@NullMarked
package org.keyline.gateway.tier.redis;

import org.jspecify.annotations.NullMarked;
