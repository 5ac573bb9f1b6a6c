package org.keyline.planner;

/** What the planner made of one statement shape. Immutable. */
public sealed interface Plan permits PointRead, Forward {}
