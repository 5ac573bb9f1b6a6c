package org.keyline.gateway.relay;

/** CALLs of procedures whose texts the gateway can analyse. */
final class KnownProceduresIT extends Scenarios {}
