/**
 * The operators' HTTP interface: metrics for Prometheus, health checks and a page. Bounded, GET
 * only, no data.
 */
@NullMarked
package org.keyline.gateway.admin;

import org.jspecify.annotations.NullMarked;
