/** Recognises point reads with Calcite's parser, which no other package imports. */
@NullMarked
package org.keyline.planner.calcite;

import org.jspecify.annotations.NullMarked;
