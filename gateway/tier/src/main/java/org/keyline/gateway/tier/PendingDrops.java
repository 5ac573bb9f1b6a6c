package org.keyline.gateway.tier;

import java.util.ArrayList;
import java.util.List;

/** The unsent drops. If they exceed a size, a drop of everything replaces them. Thread-safe. */
final class PendingDrops {
    private final int maxBytes;

    // Guarded by this.
    private List<Drop> drops = new ArrayList<>();
    private int bytes;
    private boolean everything;

    /** @param maxBytes the maximum size of all drops in an entry, in bytes */
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

    /** Returns and removes the drops, so that each is in one entry only. */
    synchronized List<Drop> take() {
        List<Drop> taken = everything ? List.of(new Drop.Everything()) : drops;
        drops = new ArrayList<>();
        bytes = 0;
        everything = false;
        return taken;
    }
}
