/**
 * The operators' HTTP interface: metrics for Prometheus, health checks and a page. The interface
 * accepts only GET, bounds connections and requests, and returns no rows of tables.
 */
@NullMarked
package org.keyline.gateway.admin;

import org.jspecify.annotations.NullMarked;
