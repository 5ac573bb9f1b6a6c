/**
 * Analysis of a statement by its tokens: its kind, its effect, whether to parse it, and the
 * gateway's own statements. An unrecognised statement may do anything.
 */
@NullMarked
package org.keyline.planner.statement;

import org.jspecify.annotations.NullMarked;
