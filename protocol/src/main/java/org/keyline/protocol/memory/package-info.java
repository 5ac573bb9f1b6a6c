/** Counts the memory that peers occupy in this process, and limits it. */
@NullMarked
package org.keyline.protocol.memory;

import org.jspecify.annotations.NullMarked;
