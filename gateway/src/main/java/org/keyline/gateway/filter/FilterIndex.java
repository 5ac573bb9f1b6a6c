package org.keyline.gateway.filter;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.Conjunction;

/** The conjunctions of which there may be lines: a hint where to look, while the lines say what is there. Thread-safe. */
final class FilterIndex {
    /*
     * What a conjunction has to say to be implied by another: about its columns, the other says at least as much. Conjunctions about the
     * same columns, which bind the same of them to one value each, are of one form; and of these, those with the same values are found
     * by them, with the opaque ones, which have to be the same. So a lookup takes one probe for each form, and compares ranges only where all single values agree.
     */
    private static final int MAX_FORMS = 64;
    private static final int MAX_ALIKE = 64;
    /** Of all of them, about; they are not part of the budget of lines. */
    private static final long MAX_BYTES = 3L << 20;

    private static final long ENTRY_BYTES = 150;

    /** Columns, ascending, and which of them have one value. */
    private record Form(List<Integer> columns, List<Boolean> single) {
        static Form of(Conjunction conjunction) {
            List<Integer> columns = conjunction.columns();
            return new Form(
                    columns,
                    columns.stream()
                            .map(column -> conjunction.set(column).point() != null)
                            .toList());
        }

        /** The single values that a conjunction has for the form's, and its opaque conditions; null where it has others, or says nothing of a column. */
        @Nullable
        ByteBuffer values(Conjunction asked) {
            ByteArrayOutputStream values = new ByteArrayOutputStream();
            for (int i = 0; i < columns.size(); i++) {
                if (!single.get(i)) {
                    continue;
                }
                byte[] value = asked.set(columns.get(i)).point();
                if (value == null) {
                    return null;
                }
                // No cell's bytes begin with those of another, so they need no ends.
                values.writeBytes(value);
            }
            values.writeBytes(asked.opaqueIdentity());
            return ByteBuffer.wrap(values.toByteArray());
        }
    }

    private final ConcurrentMap<Form, ConcurrentMap<ByteBuffer, Conjunction[]>> forms = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();

    private static long bytes(Conjunction conjunction) {
        return ENTRY_BYTES + conjunction.identity().length;
    }

    /** There is a line of this conjunction. Of too many, all others are forgotten. */
    void add(Conjunction added) {
        Form form = Form.of(added);
        ByteBuffer values = form.values(added);
        if (values == null) {
            throw new IllegalStateException("of another form than its own: " + added);
        }
        if (bytes.get() >= MAX_BYTES || (forms.size() >= MAX_FORMS && !forms.containsKey(form))) {
            forms.clear();
            bytes.set(0);
        }
        forms.computeIfAbsent(form, at -> new ConcurrentHashMap<>()).compute(values, (at, old) -> {
            if (old != null && Arrays.asList(old).contains(added)) {
                return old;
            }
            // The oldest of many gives way.
            int length = old == null ? 0 : old.length;
            int from = length == MAX_ALIKE ? 1 : 0;
            Conjunction[] more = old == null ? new Conjunction[1] : Arrays.copyOfRange(old, from, length + 1);
            more[length - from] = added;
            bytes.addAndGet(bytes(added) - (old == null || from == 0 ? 0 : bytes(old[0])));
            return more;
        });
    }

    /** There is no line of this conjunction any more. */
    void remove(Conjunction removed) {
        Form form = Form.of(removed);
        ByteBuffer values = form.values(removed);
        ConcurrentMap<ByteBuffer, Conjunction[]> alike = forms.get(form);
        if (alike == null || values == null) {
            return;
        }
        alike.computeIfPresent(values, (at, old) -> {
            Conjunction[] left =
                    Arrays.stream(old).filter(one -> !one.equals(removed)).toArray(Conjunction[]::new);
            if (left.length < old.length) {
                bytes.addAndGet(-bytes(removed));
            }
            return left.length == 0 ? null : left;
        });
    }

    /** Those that a conjunction implies, itself included where it was added. */
    List<Conjunction> impliedBy(Conjunction asked) {
        List<Conjunction> implied = new ArrayList<>();
        forms.forEach((form, alike) -> {
            ByteBuffer values = form.values(asked);
            Conjunction[] candidates = values == null ? null : alike.get(values);
            if (candidates != null) {
                for (Conjunction candidate : candidates) {
                    if (asked.implies(candidate)) {
                        implied.add(candidate);
                    }
                }
            }
        });
        return implied;
    }
}
