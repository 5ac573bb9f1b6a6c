/**
 * The program: the command line, and the gateway built from protocol, planner, row cache and
 * stores.
 */
@NullMarked
package org.keyline.gateway;

import org.jspecify.annotations.NullMarked;
