/**
 * The words of the MySQL client/server protocol: flags, codes and packets as records. No channels, no buffers' life.
 */
@NullMarked
package org.keyline.protocol;

import org.jspecify.annotations.NullMarked;
