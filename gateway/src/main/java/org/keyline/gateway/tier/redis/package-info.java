/**
 * Connections to Redis and Valkey servers, and which server has which name. Knows nothing of lines
 * and gateways.
 */
@NullMarked
package org.keyline.gateway.tier.redis;

import org.jspecify.annotations.NullMarked;
