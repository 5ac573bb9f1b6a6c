package org.keyline.gateway.filter;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.Conjunction;

/** Finds conjunctions that may have lines. Entries may be missing or outdated. Thread-safe. */
final class FilterIndex {
    /*
     * Conjunction A implies conjunction B if A limits every column of B at least as much as B does.
     * Two conjunctions have the same form if they limit the same columns, and the same columns to
     * single values. Within a form, a map finds conjunctions by their single values and opaque
     * conditions. So a lookup takes one probe per form.
     */
    private static final int MAX_FORMS = 64;
    private static final int MAX_ALIKE = 64;
    /** Maximum size of the index. The budget of lines does not include the index. */
    private static final long MAX_BYTES = 3L << 20;

    private static final long ENTRY_BYTES = 150;

    /** The columns of a conjunction, ascending, and for each column whether it has one value. */
    private record Form(List<Integer> columns, List<Boolean> single) {
        static Form of(Conjunction conjunction) {
            List<Integer> columns = conjunction.columns();
            return new Form(
                    columns,
                    columns.stream()
                            .map(column -> conjunction.set(column).point() != null)
                            .toList());
        }

        /**
         * Returns the opaque conditions of {@code asked}, after its values in this form's
         * single-value columns. Null unless {@code asked} limits each of them to one value.
         */
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
                // Values need no terminators, because no cell's bytes begin with the bytes of
                // another cell.
                values.writeBytes(value);
            }
            values.writeBytes(asked.opaqueIdentity());
            return ByteBuffer.wrap(values.toByteArray());
        }
    }

    /** Forms without conjunctions are removed. */
    private final ConcurrentMap<Form, Map<ByteBuffer, Conjunction[]>> forms = new ConcurrentHashMap<>();

    private final AtomicLong bytes = new AtomicLong();

    private static long bytes(Conjunction conjunction) {
        return ENTRY_BYTES + conjunction.identity().length;
    }

    /** Adds a conjunction. If the index is full, all other conjunctions are removed. */
    void add(Conjunction added) {
        Form form = Form.of(added);
        ByteBuffer values = form.values(added);
        if (values == null) {
            throw new IllegalStateException("conjunction: " + added + " (expected: of the form " + form + ")");
        }
        if (bytes.get() >= MAX_BYTES || (forms.size() >= MAX_FORMS && !forms.containsKey(form))) {
            forms.clear();
            bytes.set(0);
        }
        forms.compute(form, (at, known) -> {
            Map<ByteBuffer, Conjunction[]> alike = known == null ? new ConcurrentHashMap<>() : known;
            alike.compute(values, (key, old) -> with(added, old));
            return alike;
        });
    }

    private Conjunction[] with(Conjunction added, Conjunction @Nullable [] old) {
        if (old != null && Arrays.asList(old).contains(added)) {
            return old;
        }
        // At the maximum, the new conjunction replaces the first, which is the oldest.
        int length = old == null ? 0 : old.length;
        int from = length == MAX_ALIKE ? 1 : 0;
        Conjunction[] more = old == null ? new Conjunction[1] : Arrays.copyOfRange(old, from, length + 1);
        more[length - from] = added;
        bytes.addAndGet(bytes(added) - (old == null || from == 0 ? 0 : bytes(old[0])));
        return more;
    }

    void remove(Conjunction removed) {
        Form form = Form.of(removed);
        ByteBuffer values = form.values(removed);
        if (values == null) {
            return;
        }
        forms.computeIfPresent(form, (at, alike) -> {
            alike.computeIfPresent(values, (key, old) -> without(removed, old));
            // An empty form would cost each lookup a probe.
            return alike.isEmpty() ? null : alike;
        });
    }

    private Conjunction @Nullable [] without(Conjunction removed, Conjunction[] old) {
        Conjunction[] left =
                Arrays.stream(old).filter(one -> !one.equals(removed)).toArray(Conjunction[]::new);
        if (left.length < old.length) {
            bytes.addAndGet(-bytes(removed));
        }
        return left.length == 0 ? null : left;
    }

    /** Returns the indexed conjunctions that {@code asked} implies, perhaps including itself. */
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
