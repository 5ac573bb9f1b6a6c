package org.keyline.gateway.tier;

import java.util.ArrayList;
import java.util.List;

/** Drops that the others were not told of yet. Where they become too many, they become one of everything. Thread-safe. */
final class PendingDrops {
    private final int max;

    // Guarded by this.
    private List<Drop> drops = new ArrayList<>();
    private boolean everything;

    /** @param max most that are kept apart */
    PendingDrops(int max) {
        this.max = max;
    }

    synchronized void add(Drop drop) {
        if (everything) {
            return;
        }
        if (drop instanceof Drop.Everything || drops.size() == max) {
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
        everything = false;
        return taken;
    }
}
