package org.keyline.gateway.tier;

import java.util.List;

/**
 * A gateway's numbered message to the others. An entry without drops is a heartbeat. Each entry
 * extends freshness: its drops complete all writes that its sender acknowledged before it recorded
 * {@code heard}.
 *
 * @param member the gateway's name in the configuration of all
 * @param process random, another one after each start
 * @param number from 1 on, each one more than the last of this process
 * @param seen received from the others, recorded before the number was taken
 */
record PeerEntry(String member, long process, long number, VersionVector seen, List<Drop> drops) {
    PeerEntry {
        drops = List.copyOf(drops);
    }
}
