/** Represents conditions on columns as intervals of key bytes, and evaluates them on rows. */
@NullMarked
package org.keyline.gateway.condition;

import org.jspecify.annotations.NullMarked;
