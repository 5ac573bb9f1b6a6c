/** Hits compared with the store, a sample of them. */
@NullMarked
package org.keyline.gateway.audit;

import org.jspecify.annotations.NullMarked;
