package org.keyline.gateway.relay;

/** The lines that a statement closes, by what its text names. */
final class WriteScopeIT extends Scenarios {}
