/**
 * Point reads recognised by Calcite's parser: the second look at the SELECTs whose tokens do not show that they are something
 * else. Within the planner Calcite is imported here and nowhere else.
 */
@NullMarked
package org.keyline.planner.calcite;

import org.jspecify.annotations.NullMarked;
