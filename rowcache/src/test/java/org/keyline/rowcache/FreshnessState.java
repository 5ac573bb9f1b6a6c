package org.keyline.rowcache;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.rowcache.FreshnessModel.Move;
import org.keyline.rowcache.FreshnessModel.Shape;

/**
 * A state of a {@link FreshnessModel}, and the shortest path to it. States of equal cells are
 * equal.
 */
final class FreshnessState {
    // Steps of writers and readers, and the states of loads.
    static final int IDLE = 0;
    static final int CLOSED = 1;
    static final int WRITTEN = 2;
    static final int OPENED = 3;
    static final int LOOKING = 1;
    static final int ASKING = 2;
    static final int WAITING = 3;
    static final int FORWARDING = 4;
    static final int STARTED = 1;
    static final int FETCHED = 2;

    static final int TTL = 1;

    // Cells of a state: three, then those of each key, writer, reader and load.
    static final int TIME = 0;
    static final int OUTSIDE_LEFT = 1;
    static final int TABLE_CLOSERS = 2;
    static final int SHARED = 3;

    /** How often the key was written, which is the value of its row; 0: the row does not exist. */
    static final int VERSION = 0;

    static final int ACKNOWLEDGED = 1;
    static final int SEEN = 2;
    static final int CLOSERS = 3;
    /** The version in the line, plus one; 0: no line. */
    static final int LINE = 4;

    static final int LINE_BEGAN = 5;
    /** Bit v: version v was written through the gateway. */
    static final int THROUGH = 6;

    static final int OUTSIDE_VERSION = 7;
    static final int OUTSIDE_TIME = 8;
    static final int KEY_CELLS = 9;

    // Cells of writers, readers and loads alike.
    static final int STEP = 0;
    static final int KEY = 1;
    static final int LEFT = 2;
    static final int WHOLE_TABLE = 3;
    static final int WROTE = 4;
    static final int FLOOR = 3;
    static final int LOAD = 4;
    static final int BEGAN = 2;
    static final int ATTACHED = 3;
    static final int FETCHED_VERSION = 4;
    static final int ACTOR_CELLS = 5;

    final Shape shape;
    final byte[] cells;
    final @Nullable FreshnessState before;
    final @Nullable Move move;

    /** The answer of the move for each reader; -1 for none. */
    final int[] answers;

    @Nullable
    String wrong;

    FreshnessState(Shape shape, byte[] cells, @Nullable FreshnessState before, @Nullable Move move) {
        this.shape = shape;
        this.answers = new int[shape.readers()];
        this.cells = cells;
        this.before = before;
        this.move = move;
        Arrays.fill(answers, -1);
    }

    int version(int key) {
        return cells[key(key) + VERSION];
    }

    /** Returns the version in a fresh line; -1 without one. */
    int line(int key) {
        return cells[key(key) + LINE] - 1;
    }

    int readerStep(int reader) {
        return cells[reader(reader) + STEP];
    }

    /** Returns the load that a waiting reader waits for. */
    int readerLoad(int reader) {
        return cells[reader(reader) + LOAD];
    }

    int fetched(int load) {
        return cells[load(load) + FETCHED_VERSION];
    }

    List<Move> path() {
        Deque<Move> path = new ArrayDeque<>();
        for (FreshnessState at = this; at != null && at.move != null; at = at.before) {
            path.addFirst(at.move);
        }
        return List.copyOf(path);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FreshnessState that && Arrays.equals(cells, that.cells);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(cells);
    }

    // Returns where the cells of a key begin; after the last load is the end of all cells.

    int key(int number) {
        return SHARED + number * KEY_CELLS;
    }

    int writer(int number) {
        return key(shape.keys()) + number * ACTOR_CELLS;
    }

    int reader(int number) {
        return writer(shape.writers()) + number * ACTOR_CELLS;
    }

    int load(int number) {
        return reader(shape.readers()) + number * ACTOR_CELLS;
    }
}
