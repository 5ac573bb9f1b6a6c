package org.keyline.gateway.tier;

import java.util.List;

/**
 * What one gateway tells the others under one number. An entry without drops is a heartbeat; each vouches for all that its sender
 * acknowledged before it noted what it had heard.
 *
 * @param member the gateway's name in the configuration of all
 * @param process another one after each start, at random
 * @param number from 1 on, each one more than the last of this process
 * @param heard of the others, noted before the number was taken
 */
record PeerEntry(String member, long process, long number, Heard heard, List<Drop> drops) {
    PeerEntry {
        drops = List.copyOf(drops);
    }
}
