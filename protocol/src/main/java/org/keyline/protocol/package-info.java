/** Flags and codes of the protocol, and its packets as records. Has no channels. */
@NullMarked
package org.keyline.protocol;

import org.jspecify.annotations.NullMarked;
