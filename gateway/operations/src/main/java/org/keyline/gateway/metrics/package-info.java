/** The gateway's figures, and their names in Prometheus and in SQL. */
@NullMarked
package org.keyline.gateway.metrics;

import org.jspecify.annotations.NullMarked;
