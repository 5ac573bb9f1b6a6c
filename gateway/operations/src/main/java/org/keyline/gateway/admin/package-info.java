/** The operators' HTTP interface, for GET only: metrics, health checks and a page. */
@NullMarked
package org.keyline.gateway.admin;

import org.jspecify.annotations.NullMarked;
