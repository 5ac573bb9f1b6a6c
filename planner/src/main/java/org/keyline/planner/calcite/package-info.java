/**
 * Recognition of point reads by Calcite's parser, for the SELECTs that their tokens do not exclude.
 * No other package of the planner imports Calcite.
 */
@NullMarked
package org.keyline.planner.calcite;

import org.jspecify.annotations.NullMarked;
