/** Conditions on columns as intervals of key bytes, and their evaluation on rows. */
@NullMarked
package org.keyline.gateway.condition;

import org.jspecify.annotations.NullMarked;
