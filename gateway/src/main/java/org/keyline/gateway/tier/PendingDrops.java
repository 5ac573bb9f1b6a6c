package org.keyline.gateway.tier;

import java.util.ArrayList;
import java.util.List;

/** Drops that the others were not told of yet. Where they become too many, they become one of everything. Thread-safe. */
final class PendingDrops {
    private final int maxBytes;

    // Guarded by this.
    private List<Drop> drops = new ArrayList<>();
    private int bytes;
    private boolean everything;

    /** @param maxBytes most that those take in an entry that are kept apart */
    PendingDrops(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    synchronized void add(Drop drop) {
        if (everything) {
            return;
        }
        bytes += drop.weight();
        if (drop instanceof Drop.Everything || bytes > maxBytes) {
            everything = true;
            drops.clear();
        } else {
            drops.add(drop);
        }
    }

    /** All there are, each for one entry only. */
    synchronized List<Drop> take() {
        List<Drop> taken = everything ? List.of(new Drop.Everything()) : drops;
        drops = new ArrayList<>();
        bytes = 0;
        everything = false;
        return taken;
    }
}
