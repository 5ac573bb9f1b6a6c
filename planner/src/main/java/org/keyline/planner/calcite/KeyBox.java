package org.keyline.planner.calcite;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.KeyBound;
import org.keyline.planner.KeyPart;
import org.keyline.planner.KeyRange;

/** A conjunction of equalities and bounds on key columns. Immutable. */
final class KeyBox {
    /** The values of equalities by position in the key; null for a column without equality. */
    private final @Nullable KeyPart[] equal;

    private final List<KeyBound> bounds;

    private KeyBox(@Nullable KeyPart[] equal, List<KeyBound> bounds) {
        this.equal = equal;
        this.bounds = List.copyOf(bounds);
    }

    static KeyBox open(int keyColumns) {
        return new KeyBox(new KeyPart[keyColumns], List.of());
    }

    KeyBox equal(int position, KeyPart value) throws Refusal {
        if (equal[position] != null) {
            throw new Refusal(ForwardReason.KEY_BOUND_TWICE);
        }
        @Nullable KeyPart[] more = equal.clone();
        more[position] = value;
        return new KeyBox(more, bounds);
    }

    KeyBox within(KeyBound bound) {
        List<KeyBound> more = new ArrayList<>(bounds);
        more.add(bound);
        return new KeyBox(equal, more);
    }

    KeyBox and(KeyBox other) throws Refusal {
        KeyBox both = this;
        for (int i = 0; i < equal.length; i++) {
            KeyPart value = other.equal[i];
            both = value == null ? both : both.equal(i, value);
        }
        List<KeyBound> all = new ArrayList<>(both.bounds);
        all.addAll(other.bounds);
        return new KeyBox(both.equal, all);
    }

    int length() {
        int length = 0;
        while (length < equal.length && equal[length] != null) {
            length++;
        }
        return length;
    }

    boolean bindsLike(KeyBox other) {
        for (int i = 0; i < equal.length; i++) {
            if ((equal[i] == null) != (other.equal[i] == null)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns why a read cannot use this box as one contiguous range of keys; null if it can.
     *
     * @param prefixed whether the first key column must equal a value
     */
    @Nullable
    ForwardReason unfit(boolean prefixed) {
        int length = length();
        for (int i = length; i < equal.length; i++) {
            if (equal[i] != null) {
                return ForwardReason.KEY_PREFIX_UNBOUND;
            }
        }
        for (KeyBound bound : bounds) {
            if ((prefixed && length == 0) || bound.position() > length) {
                return ForwardReason.RANGE;
            }
        }
        return length == 0 && bounds.isEmpty() ? ForwardReason.NO_CONDITION : null;
    }

    /** Returns the range of the box, which must not be {@linkplain #unfit unfit}. */
    KeyRange range() {
        List<KeyPart> tuple = new ArrayList<>(equal.length);
        for (@Nullable KeyPart value : equal) {
            if (value != null) {
                tuple.add(value);
            }
        }
        return new KeyRange(tuple, bounds);
    }

    @Override
    public String toString() {
        return "KeyBox[equal=" + Arrays.toString(equal) + ", bounds=" + bounds + "]";
    }
}
