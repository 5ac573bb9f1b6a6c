/** Limits per user, so that one user leaves resources to the others. */
@NullMarked
package org.keyline.gateway.share;

import org.jspecify.annotations.NullMarked;
