/** What one user may have in use, so that others have theirs. */
@NullMarked
package org.keyline.gateway.share;

import org.jspecify.annotations.NullMarked;
