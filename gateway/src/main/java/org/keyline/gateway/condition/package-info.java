/** Conditions on columns: sets of values as intervals of key bytes, and rows held against them. */
@NullMarked
package org.keyline.gateway.condition;

import org.jspecify.annotations.NullMarked;
