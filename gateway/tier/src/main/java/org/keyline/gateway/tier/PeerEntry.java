package org.keyline.gateway.tier;

import java.util.List;

/**
 * A numbered message from a gateway to the others. An entry without drops is a heartbeat. Each
 * entry extends freshness: after it, a receiver has the drops of all writes that the sender
 * acknowledged before recording {@code seen}.
 *
 * @param member the gateway's name, the same in all configurations
 * @param process random, different after each start
 * @param number from 1 on, consecutive within a process
 * @param seen the numbers received from the others, recorded before {@code number} was assigned
 */
record PeerEntry(String member, long process, long number, VersionVector seen, List<Drop> drops) {
    PeerEntry {
        drops = List.copyOf(drops);
    }
}
