/** Limits per user, so that no user takes all resources. */
@NullMarked
package org.keyline.gateway.share;

import org.jspecify.annotations.NullMarked;
