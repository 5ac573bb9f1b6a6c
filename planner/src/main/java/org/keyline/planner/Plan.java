package org.keyline.planner;

/** The planner's result: cached lines can answer the statement, or it is forwarded. Immutable. */
public sealed interface Plan permits PointRead, Forward {}
