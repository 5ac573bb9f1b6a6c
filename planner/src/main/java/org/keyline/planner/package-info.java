/**
 * What a statement means to the cache: plans, the reasons why a statement is forwarded, what a write may touch, and the
 * catalog they are made against. This package is the vocabulary and the entry ({@link org.keyline.planner.Planner},
 * {@link org.keyline.planner.PlanCache}); reading text is done by the packages below it.
 *
 * <p>It has more than 20 classes because a plan is made of these words, and each of them is used together with nearly all others.
 */
@NullMarked
package org.keyline.planner;

import org.jspecify.annotations.NullMarked;
