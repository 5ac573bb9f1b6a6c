/** Collects the gateway's figures, and names them for Prometheus and SQL. */
@NullMarked
package org.keyline.gateway.metrics;

import org.jspecify.annotations.NullMarked;
