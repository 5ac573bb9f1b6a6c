package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A read of one key, or of a whole prefix, in a {@link LineModel}: its begin, the answers that it
 * may give, and whether it was answered.
 */
final class ModelRead implements LoadListener {
    final LineModel model;
    final int begun;
    final long begunNanos;
    final int[] floors;
    final int first;
    final int second;
    /** The direction of the read from the key on; null for all rows with that prefix. */
    final LineProbe.@Nullable Sense sense;

    boolean answered;

    ModelRead(LineModel model, int first, int second) {
        this(model, first, second, null);
    }

    ModelRead(LineModel model, int first, int second, LineProbe.@Nullable Sense sense) {
        this.sense = sense;
        this.model = model;
        this.begun = model.now();
        this.begunNanos = model.nanos();
        this.floors = model.store().floors();
        this.first = first;
        this.second = second;
    }

    @Override
    public void loaded(Line line) {
        model.answer(this, line);
    }

    @Override
    public void failed(Throwable cause) {
        assertThat(answered).isFalse();
        answered = true;
    }

    @Override
    public void declined(Decline reason) {
        // The read is forwarded: the store itself answers, at this step.
        assertThat(answered).isFalse();
        answered = true;
        for (int key : keys()) {
            model.store().observed(key, model.store().newest(key));
        }
    }

    /** Returns the keys that a line answers to the read. */
    List<Integer> keys(Line line) {
        return sense == null
                ? keys()
                : keys().stream().filter(key -> LineModel.has(line, key)).toList();
    }

    List<Integer> keys() {
        List<Integer> keys = new ArrayList<>();
        if (sense != null) {
            for (int key = 0; key < model.store().keys(); key++) {
                boolean above = key >= LineModel.place(first, second);
                if (above == (sense == LineProbe.Sense.UP)) {
                    keys.add(key);
                }
            }
            return keys;
        }
        for (int each = 0; each < LineModel.KEYS_PER_PREFIX; each++) {
            if (second < 0 || each == second) {
                keys.add(first * LineModel.KEYS_PER_PREFIX + each);
            }
        }
        return keys;
    }
}
