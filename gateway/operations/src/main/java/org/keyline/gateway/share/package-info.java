/** Limits the sessions and statements of each user. Otherwise one user could block all others. */
@NullMarked
package org.keyline.gateway.share;

import org.jspecify.annotations.NullMarked;
