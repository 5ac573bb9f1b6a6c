/**
 * The warm-up: a few statements before the gateway is ready, so that the JVM has loaded the classes
 * of reads and writes.
 */
@NullMarked
package org.keyline.gateway.warmup;

import org.jspecify.annotations.NullMarked;
