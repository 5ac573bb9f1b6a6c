package org.keyline.rowcache;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A write in a {@link LineModel}: its fence is closed, then it is applied at some later step, then acknowledged. */
final class ModelWrite {
    final Fence fence;
    final Map<Integer, @Nullable String> changes;
    /** What versions it made of which keys. */
    final Map<Integer, Integer> versions = new HashMap<>();

    boolean applied;

    ModelWrite(Fence fence, Map<Integer, @Nullable String> changes) {
        this.fence = fence;
        this.changes = changes;
    }

    /** A transaction of one or several statements on any rows; closes the fence over them. */
    static ModelWrite any(SplittableRandom random, Fence fence, LineTable table, ModelStore store) {
        Map<Integer, @Nullable String> changes = new HashMap<>();
        int statements = random.nextInt(4) == 0 ? 3 : 1;
        for (int i = 0; i < statements; i++) {
            int key = random.nextInt(store.keys());
            switch (random.nextInt(16)) {
                case 0 -> {
                    int first = key / LineModel.KEYS_PER_PREFIX;
                    for (int second = 0; second < LineModel.KEYS_PER_PREFIX; second++) {
                        changes.put(
                                first * LineModel.KEYS_PER_PREFIX + second,
                                random.nextBoolean() ? null : store.value());
                    }
                    fence.close(table, Fixture.key(first));
                }
                case 1 -> {
                    changes.put(key, store.value());
                    fence.close(table);
                }
                case 2 -> {
                    changes.put(key, null);
                    fence.closeAll();
                }
                default -> {
                    changes.put(key, random.nextInt(3) == 0 ? null : store.value());
                    fence.close(table, LineModel.key(key));
                }
            }
        }
        return new ModelWrite(fence, changes);
    }
}
