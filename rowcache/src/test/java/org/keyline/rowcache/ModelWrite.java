package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A write in a {@link LineModel}: its fence is closed, then it is applied at some later step, then
 * acknowledged.
 */
final class ModelWrite {
    final Fence fence;
    final Map<Integer, @Nullable String> changes;
    /** The versions that it created, by key. */
    final Map<Integer, Integer> versions = new HashMap<>();

    /**
     * The first cells of rows that it adds, whose keys the store chooses when it applies the write;
     * null if it adds none.
     */
    @Nullable
    KeyEncoder adds;

    /** The table in which its fence was closed. */
    @Nullable
    LineTable addsTo;

    /** The keys that the store chose. */
    final List<Integer> added = new ArrayList<>();

    boolean applied;

    ModelWrite(Fence fence, Map<Integer, @Nullable String> changes) {
        this.fence = fence;
        this.changes = changes;
    }

    /**
     * Creates a transaction of one or several statements on any rows; closes the fence over them.
     */
    static ModelWrite any(SplittableRandom random, Fence fence, LineTable table, ModelStore store) {
        Map<Integer, @Nullable String> changes = new HashMap<>();
        ModelWrite write = new ModelWrite(fence, changes);
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
                case 3 -> {
                    if (write.adds == null) {
                        int first = key / LineModel.KEYS_PER_PREFIX;
                        write.adds = random.nextBoolean() ? Fixture.key(first) : new KeyEncoder();
                        write.addsTo = table;
                        var unused = fence.closeForNewRow(table, write.adds, null);
                    }
                }
                default -> {
                    changes.put(key, random.nextInt(3) == 0 ? null : store.value());
                    fence.close(table, LineModel.key(key));
                }
            }
        }
        return write;
    }

    /** Returns the possible keys of the new rows: those without a row. */
    List<Integer> candidates(ModelStore store, int step) {
        List<Integer> absent = new ArrayList<>();
        byte[] begin = adds == null ? new byte[0] : adds.toBytes();
        for (int key = 0; adds != null && key < store.keys(); key++) {
            byte[] bytes = LineModel.key(key).toBytes();
            if (store.valueAt(key, step) == null && Bytes.startsWith(bytes, 0, bytes.length, begin, 0, begin.length)) {
                absent.add(key);
            }
        }
        return absent;
    }
}
