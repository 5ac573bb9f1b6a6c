/**
 * What peers may send is arbitrary: each decoder has a target that runs any bytes through it and
 * checks what must always hold. Jazzer explores the targets ({@code *FuzzTest}), and every build
 * runs seeded mutations of valid input.
 */
@NullMarked
package org.keyline.protocol.fuzz;

import org.jspecify.annotations.NullMarked;
