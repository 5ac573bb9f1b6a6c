package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The store of a {@link LineModel}: one value per key, and every earlier value. */
final class ModelStore {
    /**
     * One value of one key, null if the row was absent, from one step on until the next version.
     */
    private record Version(int step, long nanos, @Nullable String value, boolean outside) {}

    private final List<List<Version>> history = new ArrayList<>();
    /**
     * Per key the oldest version that a read that begins now may answer: acknowledged, or seen by a
     * finished read.
     */
    private final int[] floors;

    private int values;

    ModelStore(int keys, long nowNanos, SplittableRandom random) {
        floors = new int[keys];
        for (int key = 0; key < keys; key++) {
            history.add(new ArrayList<>());
            change(key, random.nextBoolean() ? null : value(), 0, nowNanos, false);
        }
    }

    int keys() {
        return floors.length;
    }

    int[] floors() {
        return floors.clone();
    }

    /** Returns a value that no key has had before. */
    String value() {
        return "v" + values++;
    }

    /** Changes a key; returns the number of the version. */
    int change(int key, @Nullable String value, int step, long nowNanos, boolean outside) {
        history.get(key).add(new Version(step, nowNanos, value, outside));
        return newest(key);
    }

    int newest(int key) {
        return history.get(key).size() - 1;
    }

    /** Records an acknowledged version: no later read may see less. */
    void acknowledged(int key, int version) {
        floors[key] = Math.max(floors[key], version);
    }

    /**
     * Records that a read saw a version. If it was written through the gateway, no later read may
     * see less.
     */
    void observed(int key, int version) {
        if (!history.get(key).get(version).outside()) {
            floors[key] = Math.max(floors[key], version);
        }
    }

    @Nullable
    String valueAt(int key, int step) {
        return history.get(key).get(versionAt(key, step)).value();
    }

    int versionAt(int key, int step) {
        List<Version> versions = history.get(key);
        int version = versions.size() - 1;
        while (versions.get(version).step() > step) {
            version--;
        }
        return version;
    }

    /**
     * Returns the version with a value. Values are used once; of several absences it is the newest.
     */
    int versionOf(int key, @Nullable String value) {
        List<Version> versions = history.get(key);
        for (int version = versions.size() - 1; version >= 0; version--) {
            if (Objects.equals(versions.get(version).value(), value)) {
                return version;
            }
        }
        throw new AssertionError("key " + key + " never was " + value + ": " + versions);
    }

    /** Returns when a version was overwritten; far in the future if it was not. */
    long overwrittenNanos(int key, int version) {
        return version == newest(key)
                ? Long.MAX_VALUE
                : history.get(key).get(version + 1).nanos();
    }

    /**
     * Returns whether there was a step from {@code begun} to {@code now} at whose end the store had
     * all these values.
     */
    boolean heldTogether(Map<Integer, @Nullable String> seen, int begun, int now) {
        for (int step = begun; step <= now; step++) {
            int at = step;
            if (seen.entrySet().stream()
                    .allMatch(each -> Objects.equals(valueAt(each.getKey(), at), each.getValue()))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return "history " + history;
    }
}
