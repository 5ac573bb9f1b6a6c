/**
 * What a statement means to the gateway: a point read on known keys, or a reason to forward it.
 */
@NullMarked
package org.keyline.planner;

import org.jspecify.annotations.NullMarked;
