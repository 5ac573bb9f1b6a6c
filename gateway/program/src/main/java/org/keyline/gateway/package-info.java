/**
 * The program that joins protocol, planner, row cache and stores.
 */
@NullMarked
package org.keyline.gateway;

import org.jspecify.annotations.NullMarked;
