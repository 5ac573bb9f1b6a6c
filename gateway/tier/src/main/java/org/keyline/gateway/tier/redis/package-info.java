/**
 * Connections to Redis and Valkey servers, and the server of each name. Independent of lines and
 * gateways.
 */
@NullMarked
package org.keyline.gateway.tier.redis;

import org.jspecify.annotations.NullMarked;
