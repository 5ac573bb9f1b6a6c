package org.keyline.gateway.tier;

import static org.keyline.gateway.tier.TierState.BEGAN;
import static org.keyline.gateway.tier.TierState.FLOOR;
import static org.keyline.gateway.tier.TierState.LINE;
import static org.keyline.gateway.tier.TierState.LINE_BEGAN;
import static org.keyline.gateway.tier.TierState.NOTED;
import static org.keyline.gateway.tier.TierState.SINCE;
import static org.keyline.gateway.tier.TierState.STALENESS;
import static org.keyline.gateway.tier.TierState.VALUE_BEGAN;
import static org.keyline.gateway.tier.TierState.VERSION;
import static org.keyline.gateway.tier.TierState.version;

import java.util.Arrays;
import org.keyline.gateway.tier.TierModel.Shape;

/** Ages the moments of a {@link TierState}, and clears those without effect. */
final class TierTime {
    private final TierState state;
    private final Shape shape;
    private final byte[] cells;

    TierTime(TierState state) {
        this.state = state;
        this.shape = state.shape;
        this.cells = state.cells;
    }

    /** Ages all moments by one tick. */
    void tick() {
        for (int version = 1; version <= cells[VERSION]; version++) {
            int since = version(version) + SINCE;
            if (cells[since] != 0 && state.age(since) <= state.bound(version)) {
                cells[since]++;
            }
        }
        for (int each = 0; each < shape.gateways(); each++) {
            older(state.gateway(each) + LINE_BEGAN, shape.ttl());
            older(state.gateway(each) + FLOOR, shape.ttl());
            for (int peer = 0; peer < shape.gateways(); peer++) {
                older(state.asOf(each, peer), STALENESS);
            }
            for (int number = 1; number <= shape.numbers(); number++) {
                older(state.sent(each, number), shape.ttl());
            }
            for (int load = 0; load < shape.loads(); load++) {
                older(state.load(each, load) + BEGAN, shape.ttl());
                older(state.load(each, load) + VALUE_BEGAN, shape.ttl());
            }
        }
    }

    /** Ages a moment by one tick, and clears it if it is older than any bound. */
    private void older(int cell, int bound) {
        if (cells[cell] != 0) {
            cells[cell] = (byte) (cells[cell] > bound ? 0 : cells[cell] + 1);
        }
    }

    /**
     * Clears cells without further effect, so that states that differ only in them are equal.
     *
     * @param agesDoNotCount whether a value of any age may be used
     */
    void clear(boolean agesDoNotCount) {
        for (int each = 0; each < shape.gateways(); each++) {
            int line = state.gateway(each) + LINE;
            cells[line] = cells[state.gateway(each) + LINE_BEGAN] == 0 ? 0 : cells[line];
            int heard = Byte.MAX_VALUE;
            for (int peer = 0; peer < shape.gateways(); peer++) {
                heard = peer == each ? heard : Math.min(heard, cells[state.heard(peer, each)] - 1);
            }
            for (int number = 1; number <= Math.min(heard, shape.numbers()); number++) {
                Arrays.fill(cells, state.entry(each, number), state.entry(each, number + 1), (byte) 0);
            }
            for (int number = 1; number <= shape.numbers(); number++) {
                boolean unused = clearNoted(state.entry(each, number) + 1);
            }
            for (int load = 0; load < shape.loads(); load++) {
                boolean unused = clearNoted(state.load(each, load) + NOTED);
            }
        }
        for (int number = 0; number < shape.values(); number++) {
            int value = state.value(number);
            if (!clearNoted(value + 1) && !agesDoNotCount) {
                cells[value] = 0;
            }
        }
    }

    /**
     * Clears numbers that the gateway which took them does not remember; returns whether any is
     * left.
     */
    private boolean clearNoted(int cell) {
        boolean left = false;
        for (int each = 0; each < shape.gateways(); each++) {
            // If one gateway is unknown to another, it matters that entries of it were received at
            // all.
            boolean counts = shape.joining() && each == 0;
            if (!counts && state.sinceNumber(each, cells[cell + each]) > shape.ttl()) {
                cells[cell + each] = 0;
            }
            left |= cells[cell + each] != 0;
        }
        return left;
    }
}
