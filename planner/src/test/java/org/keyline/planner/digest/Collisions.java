package org.keyline.planner.digest;

/** Digesters whose hashes are all equal. */
public final class Collisions {
    private Collisions() {}

    public static Digester digester() {
        return new Digester(Digester.DEFAULT_MAX_BYTES, 0);
    }
}
