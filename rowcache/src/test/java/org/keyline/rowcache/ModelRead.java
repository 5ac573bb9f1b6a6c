package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/** A read of one key, or of a whole prefix, in a {@link LineModel}: when it began, what it may answer, whether it was told. */
final class ModelRead implements LoadListener {
    final LineModel model;
    final int begun;
    final long begunNanos;
    final int[] floors;
    final int first;
    final int second;
    boolean answered;

    ModelRead(LineModel model, int first, int second) {
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

    List<Integer> keys() {
        List<Integer> keys = new ArrayList<>();
        for (int each = 0; each < LineModel.KEYS_PER_PREFIX; each++) {
            if (second < 0 || each == second) {
                keys.add(first * LineModel.KEYS_PER_PREFIX + each);
            }
        }
        return keys;
    }
}
