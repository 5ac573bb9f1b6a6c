/**
 * What the tokens of a statement alone show: its kind, its effect, whether parsing it pays off, and
 * the gateway's own statements. An unrecognised statement may do anything.
 */
@NullMarked
package org.keyline.planner.statement;

import org.jspecify.annotations.NullMarked;
