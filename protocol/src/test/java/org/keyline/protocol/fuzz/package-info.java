/**
 * Peers may send arbitrary bytes. Each decoder has a target that runs it on any bytes and checks
 * its invariants. Jazzer explores the targets ({@code *FuzzTest}), and every build runs seeded
 * mutations of valid input.
 */
@NullMarked
package org.keyline.protocol.fuzz;

import org.jspecify.annotations.NullMarked;
