package org.keyline.gateway.relay;

/** Writes beside filter lines, which are dropped only if they may have the row. */
final class FilterLinesIT extends Scenarios {}
