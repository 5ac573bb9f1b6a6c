/** Flags, codes, and packets as records. Contains no channels and manages no buffers. */
@NullMarked
package org.keyline.protocol;

import org.jspecify.annotations.NullMarked;
