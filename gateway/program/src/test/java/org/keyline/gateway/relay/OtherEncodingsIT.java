package org.keyline.gateway.relay;

/** Writes of clients that do not send UTF-8. */
final class OtherEncodingsIT extends Scenarios {}
