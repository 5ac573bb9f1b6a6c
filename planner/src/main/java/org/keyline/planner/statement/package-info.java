/** Classifies statements by their tokens. An unrecognised statement may do anything. */
@NullMarked
package org.keyline.planner.statement;

import org.jspecify.annotations.NullMarked;
