/**
 * Connections to Redis and Valkey servers, and the assignment of names to servers. This package
 * does not know lines and gateways.
 */
@NullMarked
package org.keyline.gateway.tier.redis;

import org.jspecify.annotations.NullMarked;
