/** Sets of values, and conditions on rows. */
@NullMarked
package org.keyline.gateway.condition;

import org.jspecify.annotations.NullMarked;
