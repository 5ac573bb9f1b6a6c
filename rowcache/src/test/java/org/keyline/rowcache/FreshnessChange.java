package org.keyline.rowcache;

import static org.keyline.rowcache.FreshnessState.ACKNOWLEDGED;
import static org.keyline.rowcache.FreshnessState.ACTOR_CELLS;
import static org.keyline.rowcache.FreshnessState.ASKING;
import static org.keyline.rowcache.FreshnessState.ATTACHED;
import static org.keyline.rowcache.FreshnessState.BEGAN;
import static org.keyline.rowcache.FreshnessState.CLOSED;
import static org.keyline.rowcache.FreshnessState.CLOSERS;
import static org.keyline.rowcache.FreshnessState.FETCHED;
import static org.keyline.rowcache.FreshnessState.FETCHED_VERSION;
import static org.keyline.rowcache.FreshnessState.FLOOR;
import static org.keyline.rowcache.FreshnessState.FORWARDING;
import static org.keyline.rowcache.FreshnessState.IDLE;
import static org.keyline.rowcache.FreshnessState.KEY;
import static org.keyline.rowcache.FreshnessState.LEFT;
import static org.keyline.rowcache.FreshnessState.LINE;
import static org.keyline.rowcache.FreshnessState.LINE_BEGAN;
import static org.keyline.rowcache.FreshnessState.LOAD;
import static org.keyline.rowcache.FreshnessState.LOOKING;
import static org.keyline.rowcache.FreshnessState.OUTSIDE_LEFT;
import static org.keyline.rowcache.FreshnessState.OUTSIDE_TIME;
import static org.keyline.rowcache.FreshnessState.OUTSIDE_VERSION;
import static org.keyline.rowcache.FreshnessState.SEEN;
import static org.keyline.rowcache.FreshnessState.STARTED;
import static org.keyline.rowcache.FreshnessState.STEP;
import static org.keyline.rowcache.FreshnessState.TABLE_CLOSERS;
import static org.keyline.rowcache.FreshnessState.THROUGH;
import static org.keyline.rowcache.FreshnessState.TIME;
import static org.keyline.rowcache.FreshnessState.TTL;
import static org.keyline.rowcache.FreshnessState.VERSION;
import static org.keyline.rowcache.FreshnessState.WAITING;
import static org.keyline.rowcache.FreshnessState.WHOLE_TABLE;
import static org.keyline.rowcache.FreshnessState.WROTE;

import java.util.Arrays;
import org.keyline.rowcache.FreshnessModel.Flaw;
import org.keyline.rowcache.FreshnessModel.Move;
import org.keyline.rowcache.FreshnessModel.Shape;

/** One step of a {@link FreshnessModel}, from a state to the next. */
final class FreshnessChange {
    private final Shape shape;
    private final Flaw flaw;
    private final FreshnessState to;
    private final byte[] cells;

    FreshnessChange(FreshnessState from, Move move, Flaw flaw) {
        this.shape = from.shape;
        this.flaw = flaw;
        cells = from.cells.clone();
        to = new FreshnessState(shape, cells, from, move);
        int actor = move.actor();
        int key = to.key(move.key());
        switch (move.kind()) {
            case CLOSE -> close(to.writer(actor), move);
            case WRITE -> {
                write(key);
                cells[key + THROUGH] |= (byte) (1 << cells[key + VERSION]);
                cells[to.writer(actor) + WROTE] = cells[key + VERSION];
                cells[to.writer(actor) + STEP]++;
            }
            case OPEN -> {
                if (flaw != Flaw.NO_FENCE) {
                    cells[cells[to.writer(actor) + WHOLE_TABLE] == 1 ? TABLE_CLOSERS : key + CLOSERS]--;
                }
                cells[to.writer(actor) + STEP]++;
            }
            case ACKNOWLEDGE -> {
                raise(key + ACKNOWLEDGED, cells[to.writer(actor) + WROTE]);
                Arrays.fill(cells, to.writer(actor) + WHOLE_TABLE, to.writer(actor) + ACTOR_CELLS, (byte) 0);
                cells[to.writer(actor) + STEP] = IDLE;
                cells[to.writer(actor) + KEY] = 0;
            }
            case BEGIN -> {
                cells[to.reader(actor) + STEP] = LOOKING;
                cells[to.reader(actor) + KEY] = (byte) move.key();
                cells[to.reader(actor) + LEFT]--;
                cells[to.reader(actor) + FLOOR] = floor(key);
            }
            case LOOK -> {
                if (!find(actor, key)) {
                    cells[to.reader(actor) + STEP] = ASKING;
                }
            }
            case ASK -> ask(actor, move.key());
            case FORWARD -> answer(actor, key, cells[key + VERSION]);
            case FETCH -> {
                cells[to.load(actor) + STEP] = FETCHED;
                cells[to.load(actor) + FETCHED_VERSION] = cells[key + VERSION];
            }
            case FINISH -> finish(actor, key);
            case TICK -> tick();
            case OUTSIDE -> {
                write(key);
                cells[OUTSIDE_LEFT]--;
                cells[key + OUTSIDE_VERSION] = cells[key + VERSION];
                cells[key + OUTSIDE_TIME] = cells[TIME];
            }
        }
    }

    FreshnessState made() {
        return to;
    }

    private void write(int key) {
        cells[key + VERSION]++;
    }

    private void close(int writer, Move move) {
        cells[writer + STEP] = CLOSED;
        cells[writer + KEY] = (byte) move.key();
        cells[writer + LEFT]--;
        cells[writer + WHOLE_TABLE] = (byte) (move.table() ? 1 : 0);
        if (flaw == Flaw.NO_FENCE) {
            return;
        }
        cells[move.table() ? TABLE_CLOSERS : to.key(move.key()) + CLOSERS]++;
        for (int k = 0; k < shape.keys(); k++) {
            if (move.table() || k == move.key()) {
                boolean absence = cells[to.key(k) + LINE] == 1;
                if (!(absence && flaw == Flaw.ABSENCE_KEPT_ON_INSERT)) {
                    drop(to.key(k));
                }
                detach(k);
            }
        }
    }

    private void drop(int key) {
        cells[key + LINE] = 0;
        cells[key + LINE_BEGAN] = 0;
    }

    private void detach(int k) {
        for (int load = 0; load < shape.loads(); load++) {
            if (cells[to.load(load) + STEP] != IDLE
                    && cells[to.load(load) + KEY] == k
                    && flaw != Flaw.LOAD_PUBLISHED_AFTER_A_WRITE) {
                cells[to.load(load) + ATTACHED] = 0;
            }
        }
    }

    /** Returns the oldest version that a read that begins now may answer. */
    private byte floor(int key) {
        byte floor = max(cells[key + ACKNOWLEDGED], cells[key + SEEN]);
        boolean due = cells[TIME] - cells[key + OUTSIDE_TIME] > TTL;
        return due ? max(floor, cells[key + OUTSIDE_VERSION]) : floor;
    }

    private boolean find(int reader, int key) {
        if (cells[key + LINE] == 0) {
            return false;
        }
        answer(reader, key, cells[key + LINE] - 1);
        return true;
    }

    private void ask(int reader, int k) {
        int key = to.key(k);
        boolean closed = cells[TABLE_CLOSERS] > 0 || cells[key + CLOSERS] > 0;
        if (!closed && find(reader, key)) {
            return;
        }
        int load = closed ? -1 : attached(k);
        if (load >= 0 && cells[TIME] - cells[to.load(load) + BEGAN] > TTL && flaw != Flaw.OLD_LOAD_JOINED) {
            load = -1;
        } else if (load < 0 && !closed) {
            load = begin(k);
        }
        cells[to.reader(reader) + STEP] = (byte) (load < 0 ? FORWARDING : WAITING);
        cells[to.reader(reader) + LOAD] = (byte) Math.max(0, load);
    }

    private int attached(int k) {
        for (int load = 0; load < shape.loads(); load++) {
            if (cells[to.load(load) + STEP] != IDLE
                    && cells[to.load(load) + KEY] == k
                    && cells[to.load(load) + ATTACHED] == 1) {
                return load;
            }
        }
        return -1;
    }

    private int begin(int k) {
        for (int load = 0; load < shape.loads(); load++) {
            if (cells[to.load(load) + STEP] == IDLE) {
                cells[to.load(load) + STEP] = STARTED;
                cells[to.load(load) + KEY] = (byte) k;
                cells[to.load(load) + BEGAN] = cells[TIME];
                cells[to.load(load) + ATTACHED] = 1;
                return load;
            }
        }
        return -1;
    }

    private void finish(int number, int key) {
        int load = to.load(number);
        int version = cells[load + FETCHED_VERSION];
        byte began = flaw == Flaw.EXPIRY_FROM_THE_END_OF_THE_LOAD ? cells[TIME] : cells[load + BEGAN];
        if (cells[load + ATTACHED] == 1 && cells[TIME] - began <= TTL) {
            cells[key + LINE] = (byte) (version + 1);
            cells[key + LINE_BEGAN] = began;
        }
        for (int reader = 0; reader < shape.readers(); reader++) {
            if (cells[to.reader(reader) + STEP] == WAITING && cells[to.reader(reader) + LOAD] == number) {
                answer(reader, key, version);
            }
        }
        Arrays.fill(cells, load, load + ACTOR_CELLS, (byte) 0);
    }

    private void answer(int number, int key, int version) {
        int reader = to.reader(number);
        to.answers[number] = version;
        if (version < cells[reader + FLOOR]) {
            to.wrong = "reader " + number + " was answered version " + version + " (expected: >= "
                    + cells[reader + FLOOR] + ")";
        }
        for (int v = version; v > 0; v--) {
            if ((cells[key + THROUGH] & (1 << v)) != 0) {
                raise(key + SEEN, (byte) v);
                break;
            }
        }
        Arrays.fill(cells, reader + FLOOR, reader + ACTOR_CELLS, (byte) 0);
        cells[reader + STEP] = IDLE;
        cells[reader + KEY] = 0;
    }

    private void tick() {
        cells[TIME]++;
        for (int k = 0; k < shape.keys(); k++) {
            // An expired line counts as none.
            if (cells[to.key(k) + LINE] != 0 && cells[TIME] - cells[to.key(k) + LINE_BEGAN] > TTL) {
                drop(to.key(k));
            }
        }
    }

    private void raise(int cell, byte value) {
        cells[cell] = max(cells[cell], value);
    }

    private static byte max(byte one, byte other) {
        return one > other ? one : other;
    }
}
