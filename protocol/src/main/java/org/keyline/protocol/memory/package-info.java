/** Accounting of the memory that peers occupy in this process, and its limits. */
@NullMarked
package org.keyline.protocol.memory;

import org.jspecify.annotations.NullMarked;
