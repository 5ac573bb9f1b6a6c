/**
 * A simulated world: sessions, planner, lines and fences against a model of a store that fails, on
 * one seeded clock.
 */
@NullMarked
package org.keyline.gateway.simulator;

import org.jspecify.annotations.NullMarked;
