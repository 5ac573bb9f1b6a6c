/** Serves metrics, health checks and a page to operators over HTTP. */
@NullMarked
package org.keyline.gateway.admin;

import org.jspecify.annotations.NullMarked;
