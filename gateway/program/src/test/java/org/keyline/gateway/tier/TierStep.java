package org.keyline.gateway.tier;

import static org.keyline.gateway.tier.TierState.ACKNOWLEDGED;
import static org.keyline.gateway.tier.TierState.ATTACHED;
import static org.keyline.gateway.tier.TierState.AWAITING;
import static org.keyline.gateway.tier.TierState.BEAT;
import static org.keyline.gateway.tier.TierState.BEATING;
import static org.keyline.gateway.tier.TierState.BEATS_LEFT;
import static org.keyline.gateway.tier.TierState.BEGAN;
import static org.keyline.gateway.tier.TierState.BY;
import static org.keyline.gateway.tier.TierState.CLOSED;
import static org.keyline.gateway.tier.TierState.CLOSED_AND_TOLD;
import static org.keyline.gateway.tier.TierState.CLOSERS;
import static org.keyline.gateway.tier.TierState.DROP;
import static org.keyline.gateway.tier.TierState.FETCHED;
import static org.keyline.gateway.tier.TierState.FLOOR;
import static org.keyline.gateway.tier.TierState.FORWARDING;
import static org.keyline.gateway.tier.TierState.IDLE;
import static org.keyline.gateway.tier.TierState.LEAST;
import static org.keyline.gateway.tier.TierState.LEFT;
import static org.keyline.gateway.tier.TierState.LINE;
import static org.keyline.gateway.tier.TierState.LINE_BEGAN;
import static org.keyline.gateway.tier.TierState.LOAD;
import static org.keyline.gateway.tier.TierState.NOTED;
import static org.keyline.gateway.tier.TierState.NUMBER;
import static org.keyline.gateway.tier.TierState.OUTSIDE_LEFT;
import static org.keyline.gateway.tier.TierState.RESTARTS_LEFT;
import static org.keyline.gateway.tier.TierState.SEEN;
import static org.keyline.gateway.tier.TierState.SINCE;
import static org.keyline.gateway.tier.TierState.STALENESS;
import static org.keyline.gateway.tier.TierState.STARTED;
import static org.keyline.gateway.tier.TierState.STEP;
import static org.keyline.gateway.tier.TierState.TOLD;
import static org.keyline.gateway.tier.TierState.UNTOLD;
import static org.keyline.gateway.tier.TierState.VALUE;
import static org.keyline.gateway.tier.TierState.VALUE_BEGAN;
import static org.keyline.gateway.tier.TierState.VERSION;
import static org.keyline.gateway.tier.TierState.WAITING;
import static org.keyline.gateway.tier.TierState.WRITER;
import static org.keyline.gateway.tier.TierState.WRITES_LEFT;
import static org.keyline.gateway.tier.TierState.WRITTEN;
import static org.keyline.gateway.tier.TierState.WROTE;
import static org.keyline.gateway.tier.TierState.version;

import java.util.Arrays;
import org.keyline.gateway.tier.TierModel.Flaw;
import org.keyline.gateway.tier.TierModel.Move;
import org.keyline.gateway.tier.TierModel.Shape;

/** One step of a {@link TierModel}, from a state to the next. */
final class TierStep {
    private static final byte NOW = 1;

    private final Shape shape;
    private final Flaw flaw;
    private final TierState to;
    private final byte[] cells;
    private final int g;
    private final int gateway;

    TierStep(TierState from, Move move, Flaw flaw) {
        this.shape = from.shape;
        this.flaw = flaw;
        cells = from.cells.clone();
        to = new TierState(shape, cells, from, move);
        g = move.gateway();
        gateway = to.gateway(g);
        TierTime time = new TierTime(to);
        switch (move.kind()) {
            case CLOSE -> {
                cells[gateway + WRITER] = CLOSED;
                cells[gateway + WRITES_LEFT]--;
                cells[gateway + CLOSERS]++;
                drop(true);
            }
            case TELL -> {
                number(DROP);
                cells[gateway + WRITER] = (byte) (cells[gateway + WRITER] == CLOSED ? CLOSED_AND_TOLD : IDLE);
            }
            case WRITE -> {
                cells[gateway + WROTE] = write(g + 1);
                cells[gateway + WRITER] = WRITTEN;
            }
            case END -> endWrite();
            case ACKNOWLEDGE -> acknowledge();
            case NUMBER -> {
                cells[gateway + BEATS_LEFT]--;
                cells[gateway + BEATING] = (byte) number(0);
            }
            case BEAT -> beat();
            case HEAR -> receive(move.actor(), move.number());
            case READ -> read(move.actor());
            case FORWARD -> answer(move.actor(), cells[VERSION]);
            case TIER -> take(move.actor(), move.number());
            case FETCH -> {
                cells[to.load(g, move.actor()) + STEP] = FETCHED;
                cells[to.load(g, move.actor()) + VALUE] = cells[VERSION];
            }
            case FINISH -> finish(move.actor());
            case EVICT -> drop(false);
            case RESTART -> restart();
            case TICK -> time.tick();
            case OUTSIDE -> {
                cells[OUTSIDE_LEFT]--;
                cells[version(write(0)) + SINCE] = NOW;
            }
        }
        time.clear(flaw == Flaw.AGE_NOT_CARRIED);
    }

    TierState made() {
        return to;
    }

    /**
     * Returns whether a load accepts a value of the tier: it is fresh, and not from before a write
     * or a report here.
     */
    static boolean accepts(TierState state, int g, int number, Flaw flaw) {
        int value = state.value(number);
        if (state.cells[value] == 0) {
            return false;
        }
        if (flaw == Flaw.AGE_NOT_CARRIED) {
            return true;
        }
        int age = state.sinceNumber(g, state.cells[value + 1 + g]);
        return age < state.age(state.gateway(g) + FLOOR) && isFresh(state, g, age, flaw);
    }

    private static boolean isFresh(TierState state, int g, int age, Flaw flaw) {
        boolean all = flaw != Flaw.VOUCHED_WITHOUT_ALL_MEMBERS;
        return age <= STALENESS || (age <= state.shape.ttl() && state.isVouchedFor(g, all));
    }

    private byte write(int by) {
        cells[VERSION]++;
        cells[version(cells[VERSION]) + BY] = (byte) by;
        return cells[VERSION];
    }

    /**
     * The reply of the store: the write is reported, the fence opens, the client gets the reply. In
     * one step, since that is the worst case: a later acknowledgement makes the write obligatory
     * later, and a closed fence forwards reads to the store.
     */
    private void endWrite() {
        boolean late = flaw == Flaw.TOLD_AFTER_THE_ACKNOWLEDGEMENT;
        int received = late || flaw == Flaw.TOLD_BEFORE_THE_WRITE_ONLY ? 0 : number(DROP);
        if (flaw != Flaw.OWN_WRITE_LEAVES_THE_FLOOR) {
            cells[gateway + FLOOR] = NOW;
        }
        cells[gateway + CLOSERS]--;
        if (shape.strict()) {
            cells[gateway + TOLD] = (byte) received;
            cells[gateway + WRITER] = AWAITING;
        } else {
            acknowledge();
            cells[gateway + WRITER] = (byte) (late ? UNTOLD : IDLE);
        }
    }

    private void acknowledge() {
        byte version = cells[gateway + WROTE];
        cells[version(version) + SINCE] = NOW;
        raise(gateway + ACKNOWLEDGED, version);
        cells[gateway + WROTE] = 0;
        cells[gateway + TOLD] = 0;
        Arrays.fill(cells, to.echoed(g, 0), to.echoed(g, shape.gateways()), (byte) 0);
        cells[gateway + WRITER] = IDLE;
    }

    /**
     * Takes the next number of this gateway for an entry, which contains the numbers received from
     * the others by then.
     */
    private int number(int kind) {
        int number = ++cells[gateway + NUMBER];
        cells[to.sent(g, number)] = NOW;
        cells[to.entry(g, number)] = (byte) kind;
        if (kind != 0) {
            noteHeard(to.entry(g, number) + 1);
        }
        return number;
    }

    /**
     * A heartbeat, with the numbers received from the others before its own number was taken. In
     * one step, because more received numbers confirm more; in two for the flaw.
     */
    private void beat() {
        int number = cells[gateway + BEATING];
        if (number == 0) {
            cells[gateway + BEATS_LEFT]--;
            number = number(BEAT);
        }
        if (cells[gateway + BEATING] != 0) {
            cells[to.entry(g, number)] = BEAT;
            noteHeard(to.entry(g, number) + 1);
            cells[gateway + BEATING] = 0;
        }
    }

    /** Records the last number received here from each gateway, and the last that was taken. */
    private void noteHeard(int cell) {
        for (int peer = 0; peer < shape.gateways(); peer++) {
            cells[cell + peer] = peer == g ? cells[gateway + NUMBER] : (byte) Math.max(0, cells[to.heard(g, peer)] - 1);
        }
    }

    private void receive(int peer, int number) {
        int heard = to.heard(g, peer);
        boolean next = cells[heard] == number;
        if (!next && flaw != Flaw.GAP_OVERLOOKED) {
            drop(true);
            if (flaw != Flaw.GAP_LEAVES_THE_FLOOR) {
                cells[gateway + FLOOR] = NOW;
            }
        }
        cells[heard] = (byte) (number + 1);
        int entry = to.entry(peer, number);
        if (cells[entry] == DROP) {
            drop(flaw != Flaw.TOLD_DROP_LEAVES_LOADS);
            if (flaw != Flaw.TOLD_DROP_LEAVES_THE_FLOOR) {
                cells[gateway + FLOOR] = NOW;
            }
        }
        byte echoed = knowsAll(entry) || flaw == Flaw.STRANGER_OVERLOOKED ? cells[entry + 1 + g] : 0;
        if (cells[gateway + WRITER] == AWAITING) {
            boolean any = flaw == Flaw.ANY_SIGN_OF_LIFE_TAKEN_FOR_AN_ECHO;
            cells[to.echoed(g, peer)] = any ? Byte.MAX_VALUE : max(cells[to.echoed(g, peer)], echoed);
        }
        if (flaw == Flaw.VOUCHED_AS_OF_THE_ARRIVAL) {
            cells[to.asOf(g, peer)] = NOW;
        } else if (echoed != 0) {
            cells[to.asOf(g, peer)] = later(cells[to.asOf(g, peer)], cells[to.sent(g, echoed)]);
        }
    }

    /**
     * Returns whether this gateway has received entries of all others that the sender of an entry
     * had.
     */
    private boolean knowsAll(int entry) {
        for (int peer = 0; peer < shape.gateways(); peer++) {
            if (peer != g && cells[entry + 1 + peer] != 0 && cells[to.heard(g, peer)] == 0) {
                return false;
            }
        }
        return true;
    }

    private void drop(boolean loads) {
        cells[gateway + LINE] = 0;
        cells[gateway + LINE_BEGAN] = 0;
        for (int load = 0; load < shape.loads() && loads; load++) {
            cells[to.load(g, load) + ATTACHED] = 0;
        }
    }

    /** Returns the oldest version that a read that begins now may answer. */
    private byte least() {
        byte least = max(cells[gateway + ACKNOWLEDGED], cells[gateway + SEEN]);
        for (int version = cells[VERSION]; version > least; version--) {
            int since = version(version) + SINCE;
            if (cells[since] != 0 && to.age(since) > to.bound(version)) {
                return (byte) version;
            }
        }
        return least;
    }

    private boolean find(int reader) {
        int line = cells[gateway + LINE];
        if (line == 0 || !isFresh(to, g, to.age(gateway + LINE_BEGAN), flaw)) {
            return false;
        }
        answer(reader, line - 1);
        return true;
    }

    /**
     * A read begins and looks for a line; otherwise it requests a load, joins one or is forwarded.
     * In one step, since that is the worst case: fewer versions are obligatory for an earlier read.
     */
    private void read(int number) {
        int reader = to.reader(g, number);
        cells[reader + LEFT]--;
        cells[reader + LEAST] = least();
        boolean closed = cells[gateway + CLOSERS] > 0;
        if (!closed && find(number)) {
            return;
        }
        int load = closed ? -1 : attached();
        if (load >= 0) {
            int bound = flaw == Flaw.OLD_LOAD_JOINED ? shape.ttl() : STALENESS;
            load = to.age(to.load(g, load) + BEGAN) > bound ? -1 : load;
        } else if (!closed) {
            load = begin();
        }
        cells[reader + STEP] = (byte) (load < 0 ? FORWARDING : WAITING);
        cells[reader + LOAD] = (byte) Math.max(0, load);
    }

    private int attached() {
        for (int load = 0; load < shape.loads(); load++) {
            if (cells[to.load(g, load) + STEP] != IDLE && cells[to.load(g, load) + ATTACHED] == 1) {
                return load;
            }
        }
        return -1;
    }

    private int begin() {
        for (int number = 0; number < shape.loads(); number++) {
            int load = to.load(g, number);
            if (cells[load + STEP] == IDLE) {
                cells[load + STEP] = STARTED;
                cells[load + BEGAN] = NOW;
                cells[load + ATTACHED] = 1;
                noteHeard(load + NOTED);
                return number;
            }
        }
        return -1;
    }

    /** A load accepts a value of the tier. */
    private void take(int load, int number) {
        int value = to.value(number);
        byte began = flaw == Flaw.AGE_NOT_CARRIED ? NOW : cells[to.sent(g, cells[value + 1 + g])];
        if (flaw == Flaw.JUDGED_WHEN_IT_WAS_READ) {
            int cell = to.load(g, load);
            cells[cell + STEP] = FETCHED;
            cells[cell + VALUE] = (byte) (cells[value] - 1);
            cells[cell + VALUE_BEGAN] = began;
            return;
        }
        end(load, cells[value] - 1, began);
    }

    private void finish(int number) {
        int load = to.load(g, number);
        byte version = cells[load + VALUE];
        if (flaw == Flaw.HEARD_IS_NOTED_WHEN_THE_LINE_IS_PUT) {
            noteHeard(load + NOTED);
        }
        // Once put, a value may be returned at any later time or never, so a late or lost put needs
        // no separate step.
        put(version, load + NOTED);
        boolean ofTier = cells[load + VALUE_BEGAN] != 0;
        end(number, version, cells[load + (ofTier ? VALUE_BEGAN : BEGAN)]);
    }

    private void put(int version, int noted) {
        int entry = 1 + shape.gateways();
        byte[] made = new byte[entry];
        made[0] = (byte) (version + 1);
        System.arraycopy(cells, noted, made, 1, shape.gateways());
        for (int number = 0; number < shape.values(); number++) {
            int value = to.value(number);
            if (cells[value] == 0) {
                System.arraycopy(made, 0, cells, value, entry);
            }
            if (Arrays.equals(made, 0, entry, cells, value, value + entry)) {
                return;
            }
        }
    }

    private void end(int number, int version, byte began) {
        int load = to.load(g, number);
        if (cells[load + ATTACHED] == 1) {
            cells[gateway + LINE] = (byte) (version + 1);
            cells[gateway + LINE_BEGAN] = began;
        }
        for (int reader = 0; reader < shape.readers(); reader++) {
            int waiter = to.reader(g, reader);
            if (cells[waiter + STEP] == WAITING && cells[waiter + LOAD] == number) {
                answer(reader, version);
            }
        }
        Arrays.fill(cells, load, load + NOTED + shape.gateways(), (byte) 0);
    }

    private void answer(int number, int version) {
        int reader = to.reader(g, number);
        if (version < cells[reader + LEAST]) {
            to.wrong = "reader " + number + " of gateway " + g + " was answered version " + version + " (expected: >= "
                    + cells[reader + LEAST] + ")";
        }
        for (int v = version; v > 0; v--) {
            if (cells[version(v) + BY] == g + 1) {
                raise(gateway + SEEN, (byte) v);
                break;
            }
        }
        cells[reader + LEAST] = 0;
        cells[reader + LOAD] = 0;
        cells[reader + STEP] = IDLE;
    }

    /**
     * Killed and restarted: its state and its clients are lost, and its numbers belong to another
     * process.
     */
    private void restart() {
        cells[gateway + RESTARTS_LEFT]--;
        drop(true);
        cells[gateway + BEATING] = 0;
        cells[gateway + CLOSERS] = 0;
        cells[gateway + WRITER] = IDLE;
        cells[gateway + WROTE] = 0;
        cells[gateway + TOLD] = 0;
        cells[gateway + FLOOR] = NOW;
        Arrays.fill(cells, to.heard(g, 0), to.sent(g, 1), (byte) 0);
        Arrays.fill(cells, to.sent(g, 1), to.sent(g, shape.numbers() + 1), (byte) 0);
        Arrays.fill(cells, to.load(g, 0), to.load(g, shape.loads()), (byte) 0);
        for (int number = 0; number < shape.readers(); number++) {
            int reader = to.reader(g, number);
            cells[reader + STEP] = IDLE;
            cells[reader + LEAST] = 0;
            cells[reader + LOAD] = 0;
        }
        if (flaw == Flaw.RESTART_OVERLOOKED) {
            cells[gateway + NUMBER] = 0;
            Arrays.fill(cells, to.entry(g, 1), to.entry(g, shape.numbers() + 1), (byte) 0);
        } else {
            // A number that is never sent: for the others it is a gap, like the first entry of
            // another process.
            cells[gateway + NUMBER]++;
        }
    }

    /** Returns the later one of two moments. */
    private static byte later(byte one, byte other) {
        return one == 0 || (other != 0 && other < one) ? other : one;
    }

    private void raise(int cell, byte value) {
        cells[cell] = max(cells[cell], value);
    }

    private static byte max(byte one, byte other) {
        return one > other ? one : other;
    }
}
