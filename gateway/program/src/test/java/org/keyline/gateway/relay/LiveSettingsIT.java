package org.keyline.gateway.relay;

/** Settings that change while clients read, by KEYLINE SET. */
final class LiveSettingsIT extends Scenarios {}
