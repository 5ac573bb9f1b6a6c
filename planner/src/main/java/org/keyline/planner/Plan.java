package org.keyline.planner;

/** The planner's result for a statement shape. Immutable. */
public sealed interface Plan permits PointRead, Forward {}
