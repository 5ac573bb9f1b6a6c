package org.keyline.gateway.relay;

/** Sessions whose strings have no character set, as MediaWiki's. */
final class BinarySessionsIT extends Scenarios {}
