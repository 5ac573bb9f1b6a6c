package org.keyline.gateway.tier;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.tier.TierModel.Flaw;
import org.keyline.gateway.tier.TierModel.Move;
import org.keyline.gateway.tier.TierModel.Shape;

/**
 * A state of a {@link TierModel}, and the shortest path to it. States of equal cells are equal.
 * Each moment is stored as its age in ticks plus one; 0 is "none, or so long ago that it makes no
 * difference".
 */
final class TierState {
    /** For how long a reader may miss a peer's write. */
    static final int STALENESS = 1;

    // Steps of a writer, after IDLE; the model defines their order.
    static final int IDLE = 0;
    static final int CLOSED = 1;
    static final int CLOSED_AND_TOLD = 2;
    static final int WRITTEN = 3;
    static final int UNTOLD = 4;
    static final int AWAITING = 5;

    // Steps of a reader and of a load.
    static final int WAITING = 1;
    static final int FORWARDING = 2;
    static final int STARTED = 1;
    static final int FETCHED = 2;

    // Kinds of entries on the way to the peers.
    static final int BEAT = 1;
    static final int DROP = 2;

    // Shared cells; after them, two for each version, then the values that were ever put into the
    // tier.
    static final int OUTSIDE_LEFT = 0;
    static final int VERSION = 1;
    static final int VERSIONS = 2;
    /** The gateway that wrote a version, plus one; 0 for a write past them. */
    static final int BY = 0;
    /** The time when it was acknowledged, or written past the gateways. */
    static final int SINCE = 1;

    // Cells of a gateway.
    static final int NUMBER = 0;
    static final int BEATS_LEFT = 1;
    static final int RESTARTS_LEFT = 2;
    static final int BEATING = 3;
    static final int FLOOR = 4;
    static final int CLOSERS = 5;
    /** The version in the line, plus one; 0: no line. */
    static final int LINE = 6;

    static final int LINE_BEGAN = 7;
    static final int SEEN = 8;
    static final int ACKNOWLEDGED = 9;
    static final int WRITER = 10;
    static final int WRITES_LEFT = 11;
    static final int WROTE = 12;
    /** The number with which the write was reported. */
    static final int TOLD = 13;

    static final int PEERS = 14;

    // Cells of readers and loads.
    static final int STEP = 0;
    static final int LEFT = 1;
    static final int LEAST = 2;
    static final int LOAD = 3;
    static final int READER_CELLS = 4;
    static final int BEGAN = 1;
    static final int ATTACHED = 2;
    static final int VALUE = 3;
    static final int VALUE_BEGAN = 4;
    static final int NOTED = 5;

    final Shape shape;
    final byte[] cells;
    final @Nullable TierState before;
    final @Nullable Move move;

    @Nullable
    String wrong;

    TierState(Shape shape, byte[] cells, @Nullable TierState before, @Nullable Move move) {
        this.shape = shape;
        this.cells = cells;
        this.before = before;
        this.move = move;
    }

    List<Move> path() {
        Deque<Move> path = new ArrayDeque<>();
        for (TierState at = this; at != null && at.move != null; at = at.before) {
            path.addFirst(at.move);
        }
        return List.copyOf(path);
    }

    /** Returns the ticks since a moment; many if it is not recorded. */
    int age(int cell) {
        return cells[cell] == 0 ? Byte.MAX_VALUE : cells[cell] - 1;
    }

    /** Returns for how long reads may miss a version. */
    int bound(int version) {
        return cells[version(version) + BY] == 0 ? shape.ttl() : shape.bound();
    }

    /** Returns the ticks since a gateway took a number. */
    int sinceNumber(int gateway, int number) {
        return number == 0 ? Byte.MAX_VALUE : age(sent(gateway, number));
    }

    /**
     * Returns whether peers of a gateway confirm the freshness of its lines: all of them, or those
     * from which it has received entries.
     */
    boolean isVouchedFor(int gateway, boolean all) {
        for (int peer = 0; peer < shape.gateways(); peer++) {
            boolean counts =
                    peer != gateway && ((all && shape.lists(gateway, peer)) || cells[heard(gateway, peer)] != 0);
            if (counts && age(asOf(gateway, peer)) > STALENESS) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether no other gateway may miss the write that is to be acknowledged: they have
     * received it, or trust nothing from before it.
     */
    boolean isSeenByAll(int gateway, Flaw flaw) {
        int received = cells[gateway(gateway) + TOLD];
        if (sinceNumber(gateway, received) > STALENESS) {
            return true;
        }
        for (int peer = 0; peer < shape.gateways(); peer++) {
            boolean counts = flaw != Flaw.ACKNOWLEDGED_WITHOUT_ALL_MEMBERS || cells[heard(gateway, peer)] != 0;
            if (peer != gateway && counts && cells[echoed(gateway, peer)] < received) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether any reader reads, or will read. */
    boolean isRead() {
        for (int gateway = 0; gateway < shape.gateways(); gateway++) {
            for (int reader = 0; reader < shape.readers(); reader++) {
                int at = reader(gateway, reader);
                if (cells[at + STEP] != IDLE || cells[at + LEFT] > 0) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TierState that && Arrays.equals(cells, that.cells);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(cells);
    }

    // Returns where the cells of a version begin.

    static int version(int version) {
        return VERSIONS + 2 * (version - 1);
    }

    /**
     * Returns a value in the tier: its version plus one, and the numbers that its loader had
     * received from each gateway when the load began.
     */
    int value(int number) {
        return version(shape.versions() + 1) + number * (1 + shape.gateways());
    }

    int gateway(int number) {
        int peers = 3 * shape.gateways();
        int numbers = shape.numbers() * (2 + shape.gateways());
        int cells =
                PEERS + peers + numbers + shape.readers() * READER_CELLS + shape.loads() * (NOTED + shape.gateways());
        return value(shape.values()) + number * cells;
    }

    /** Returns the last number received from a peer, plus one; 0 for none yet. */
    int heard(int gateway, int peer) {
        return gateway(gateway) + PEERS + peer;
    }

    /** Returns the time up to which a peer has confirmed that it has reported all its writes. */
    int asOf(int gateway, int peer) {
        return heard(gateway, peer) + shape.gateways();
    }

    /** Returns the last own number that a peer has echoed while a writer waits. */
    int echoed(int gateway, int peer) {
        return asOf(gateway, peer) + shape.gateways();
    }

    /** Returns when a gateway took a number, from 1 on. */
    int sent(int gateway, int number) {
        return echoed(gateway, 0) + shape.gateways() + number - 1;
    }

    /**
     * Returns the entry of a number: its kind, and the numbers that its sender had received from
     * each gateway.
     */
    int entry(int gateway, int number) {
        return sent(gateway, 1) + shape.numbers() + (number - 1) * (1 + shape.gateways());
    }

    int reader(int gateway, int number) {
        return entry(gateway, shape.numbers() + 1) + number * READER_CELLS;
    }

    int load(int gateway, int number) {
        return reader(gateway, shape.readers()) + number * (NOTED + shape.gateways());
    }
}
