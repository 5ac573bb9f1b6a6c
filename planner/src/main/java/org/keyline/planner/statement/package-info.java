/**
 * What can be said of a statement from its tokens alone: its kind, what it may write, whether it is worth a parse, and the
 * gateway's own statements. Conservative: what is not recognised may do anything.
 */
@NullMarked
package org.keyline.planner.statement;

import org.jspecify.annotations.NullMarked;
