/** What peers make this program keep, in bytes, and the bounds of it. */
@NullMarked
package org.keyline.protocol.memory;

import org.jspecify.annotations.NullMarked;
