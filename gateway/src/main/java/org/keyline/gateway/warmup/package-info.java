/** What a gateway does before it is ready, so that its first clients meet compiled code: conversations with itself. */
@NullMarked
package org.keyline.gateway.warmup;

import org.jspecify.annotations.NullMarked;
