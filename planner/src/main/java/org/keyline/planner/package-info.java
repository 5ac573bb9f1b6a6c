/**
 * What a statement means to the cache: plans, the reasons why a statement is forwarded, what a write may touch, and the
 * catalog they are made against. This package is the vocabulary and the entry ({@link org.keyline.planner.Planner},
 * {@link org.keyline.planner.PlanCache}); reading text is done by the packages below it.
 */
@NullMarked
package org.keyline.planner;

import org.jspecify.annotations.NullMarked;
