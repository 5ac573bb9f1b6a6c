/** Sets of values and rows held against them. */
@NullMarked
package org.keyline.gateway.condition;

import org.jspecify.annotations.NullMarked;
