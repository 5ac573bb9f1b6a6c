/** The protocol's flags, codes and packets. A packet is a record, without a channel or buffer. */
@NullMarked
package org.keyline.protocol;

import org.jspecify.annotations.NullMarked;
