package org.keyline.planner;

/** The planner's result for a statement: lines can answer it, or it is forwarded. Immutable. */
public sealed interface Plan permits PointRead, Forward {}
