package org.keyline.gateway.tier;

import java.util.List;

/**
 * A numbered message from a gateway to the others. An entry without drops is a heartbeat. Each
 * entry extends freshness, because the receiver then has the drops of all writes that the sender
 * acknowledged before it recorded {@code seen}.
 *
 * @param member the gateway's name, the same in all configurations
 * @param process a random number that identifies the process, different after each start
 * @param number the entry's number, consecutive from 1 on within a process
 * @param seen the last numbers that the gateway had received from the others before {@code number}
 * was assigned
 */
record PeerEntry(String member, long process, long number, VersionVector seen, List<Drop> drops) {
    PeerEntry {
        drops = List.copyOf(drops);
    }
}
