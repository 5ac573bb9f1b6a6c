/** Point reads: the rows of lines, in a template learned from the store's own reply. */
@NullMarked
package org.keyline.gateway.read;

import org.jspecify.annotations.NullMarked;
