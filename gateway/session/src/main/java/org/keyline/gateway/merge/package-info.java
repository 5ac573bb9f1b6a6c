/** Merges single-row INSERTs of several clients into one statement. */
@NullMarked
package org.keyline.gateway.merge;

import org.jspecify.annotations.NullMarked;
