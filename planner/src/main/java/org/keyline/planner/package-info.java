/**
 * Defines plans, reasons for forwarding, effects of writes, and the catalog. The entry points are
 * {@link org.keyline.planner.Planner} and {@link org.keyline.planner.PlanCache}; the subpackages
 * analyse text.
 *
 * <p>The package has more than 20 classes because a plan consists of these types, and nearly every
 * type refers to the other types.
 */
@NullMarked
package org.keyline.planner;

import org.jspecify.annotations.NullMarked;
