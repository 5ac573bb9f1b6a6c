/** What the gateway counts, under which names, in Prometheus and in SQL. */
@NullMarked
package org.keyline.gateway.metrics;

import org.jspecify.annotations.NullMarked;
