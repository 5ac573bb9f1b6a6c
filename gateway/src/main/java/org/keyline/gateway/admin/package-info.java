/** The HTTP side door: metrics for Prometheus and health for whoever restarts us. Bounded, GET only, no data. */
@NullMarked
package org.keyline.gateway.admin;

import org.jspecify.annotations.NullMarked;
