package org.keyline.rowcache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.rowcache.FreshnessModel.Flaw;
import org.keyline.rowcache.FreshnessModel.Kind;
import org.keyline.rowcache.FreshnessModel.Move;
import org.keyline.rowcache.FreshnessModel.Result;
import org.keyline.rowcache.FreshnessModel.Shape;

/**
 * The cache itself takes every step of the model, in every state that the model can reach, and must
 * give the model's answers. So the results for the model hold for the cache, within that many
 * steps.
 */
final class FreshnessConformanceTest {
    private static final Duration TICK = Duration.ofSeconds(1);

    /** A cache with clients that take the model's steps. */
    private static final class Real {
        private final Fixture fixture;
        private final Fence[] fences;
        private final Fixture.SessionAnswer[] outcome;
        private final @Nullable Load[] loads;
        private final int[] fetched;
        private final int[] store;
        private @Nullable Load begun;

        Real(Shape shape) {
            RowCacheOptions options = Fixture.options();
            fixture = new Fixture(
                    new RowCacheOptions(
                            options.maxBytes(), 1, shape.loads(), 1, 10, 10, 1, options.ticker(), Runnable::run),
                    TableOptions.DEFAULT.withTtl(TICK));
            fences = new Fence[shape.writers()];
            for (int writer = 0; writer < fences.length; writer++) {
                fences[writer] = fixture.cache.fence();
            }
            outcome = new Fixture.SessionAnswer[shape.readers()];
            loads = new @Nullable Load[shape.loads()];
            fetched = new int[shape.loads()];
            store = new int[shape.keys()];
        }

        /** Takes a step; returns the version that a read found at once, or -1. */
        int take(Move move) {
            int actor = move.actor();
            int key = move.key();
            switch (move.kind()) {
                case CLOSE -> {
                    if (move.table()) {
                        fences[actor].close(fixture.table);
                    } else {
                        fences[actor].close(fixture.table, Fixture.key(key, 1));
                    }
                }
                case WRITE, OUTSIDE -> store[key]++;
                case OPEN -> fences[actor].open();
                case ACKNOWLEDGE, BEGIN -> {}
                case LOOK -> {
                    return find(key);
                }
                case ASK -> {
                    return ask(actor, key);
                }
                case FORWARD -> {
                    return store[key];
                }
                case FETCH -> fetched[actor] = store[key];
                case FINISH -> {
                    Load load = requireNonNull(loads[actor], "no load");
                    if (fetched[actor] > 0) {
                        fixture.feed(load, key, 1, Integer.toString(fetched[actor]));
                    }
                    loads[actor] = null;
                    load.succeed();
                }
                case TICK -> fixture.clock.advance(TICK);
            }
            return -1;
        }

        private int ask(int reader, int key) {
            outcome[reader] = new Fixture.SessionAnswer();
            fixture.table.load(fixture.probe(key, 1), load -> begun = load, outcome[reader]);
            Load load = begun;
            begun = null;
            if (load != null) {
                int free = 0;
                while (loads[free] != null) {
                    free++;
                }
                loads[free] = load;
            }
            return answer(reader, key);
        }

        /** Returns the version that a reader received; -1 for none. */
        int answer(int reader, int key) {
            Line line = outcome[reader].line;
            return line == null ? -1 : version(Fixture.row(line, key, 1));
        }

        int find(int key) {
            String row = fixture.get(key, 1);
            return row == null ? -1 : version(row);
        }

        private static int version(String row) {
            return row.equals("absent") ? 0 : Integer.parseInt(row);
        }
    }

    private long compared;

    @Test
    void cache_ofOneRow_answersAsTheModel() {
        compare(new Shape(1, 2, 1, 2, 1, 2, 0, 0));
    }

    @Test
    void cache_ofTwoRows_answersAsTheModel() {
        compare(new Shape(2, 1, 1, 2, 1, 2, 0, 0));
    }

    @Test
    void cache_withAClockAndWritesFromOutside_answersAsTheModel() {
        compare(new Shape(1, 1, 1, 2, 1, 1, 1, 2));
    }

    private void compare(Shape some) {
        Result result = new FreshnessModel(some, Flaw.NONE).explore((from, move, to) -> compare(some, from, move, to));
        System.out.printf("%s: %d states, %d steps compared%n", some, result.states(), result.steps());
        assertThat(result.violation()).isNull();
        assertThat(compared).isEqualTo(result.steps()).isGreaterThan(5_000);
    }

    private void compare(Shape some, FreshnessState from, Move move, FreshnessState to) {
        compared++;
        Real real = new Real(some);
        from.path().forEach(real::take);
        int found = real.take(move);
        String where = from.path() + " then " + move;
        for (int key = 0; key < some.keys(); key++) {
            check(real.find(key), to.line(key), "line of " + key, where);
            check(real.store[key], to.version(key), "version of " + key, where);
        }
        for (int reader = 0; reader < some.readers(); reader++) {
            boolean own = reader == move.actor()
                    && (move.kind() == Kind.LOOK || move.kind() == Kind.ASK || move.kind() == Kind.FORWARD);
            if (own) {
                check(found, to.answers[reader], "answer of " + reader, where);
            } else if (to.answers[reader] >= 0) {
                check(real.answer(reader, move.key()), to.answers[reader], "answer to waiting " + reader, where);
            }
            if (own && move.kind() == Kind.ASK) {
                boolean declined = real.outcome[reader].decline != null;
                assertThat(declined).as(where).isEqualTo(to.readerStep(reader) == FreshnessState.FORWARDING);
                assertThat(real.outcome[reader].times == 0)
                        .as(where)
                        .isEqualTo(to.readerStep(reader) == FreshnessState.WAITING);
            }
        }
    }

    private static void check(int actual, int expected, String what, String where) {
        if (actual != expected) {
            throw new AssertionError(what + ": " + actual + " (expected: " + expected + ") after " + where);
        }
    }
}
