/**
 * The types of the MySQL client/server protocol: flags, codes, and packets as records. The package
 * contains no channels and manages no buffers.
 */
@NullMarked
package org.keyline.protocol;

import org.jspecify.annotations.NullMarked;
