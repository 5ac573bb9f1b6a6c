/** Limits the sessions and statements of each user, so that no user can block all others. */
@NullMarked
package org.keyline.gateway.share;

import org.jspecify.annotations.NullMarked;
