package org.keyline.gateway.tier;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.Load;

/** One gateway loads a line, and the others wait for it, as long as that may save them a load. */
final class LeasesTest extends LentLinesFixture {
    /** A load under a lease whose store has not answered yet. */
    private record Held(long id, Load load, CompletableFuture<Line> line) {}

    private Held hold(Gateway at) throws Exception {
        at.silent = true;
        long untilNanos = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - untilNanos < 0) {
            long id = IDS.incrementAndGet();
            CompletableFuture<Line> line = at.begin(id);
            Load load = requireNonNull(at.taken.poll(1, TimeUnit.MINUTES));
            if (redis.run("DBSIZE").equals(":1")
                    && redis.run("KEYS test:load:*").equals("*1")) {
                return new Held(id, load, line);
            }
            at.answer(load, id);
            line.get(1, TimeUnit.MINUTES);
            redis.run("FLUSHALL");
        }
        throw new AssertionError("no lease was taken");
    }

    @Test
    void aLoad_thatAnotherGatewayDoesNotEnd_isDoneAfterAWhile() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        redis.run("FLUSHALL");
        a.meets(b);
        Held held = hold(a);
        assertThat(b.read(held.id()).text()).isEqualTo("2");
        a.answer(held.load(), held.id());
    }

    private enum End {
        SUCCESS,
        FAILURE,
        DECLINED,
        DROPPED
    }

    /** No gateway waits for a load that has ended. */
    @ParameterizedTest
    @EnumSource
    void aLease_endsWithItsLoad(End end) throws Exception {
        Gateway a = new Gateway("a", "1");
        redis.run("FLUSHALL");
        Held held = hold(a);
        if (end == End.SUCCESS || end == End.DROPPED) {
            if (end == End.DROPPED) {
                a.table.lines().flush();
            }
            a.answer(held.load(), held.id());
        } else if (end == End.FAILURE) {
            held.load().fail(new IllegalStateException("the store is gone"));
        } else {
            held.load().decline();
        }
        await().atMost(Duration.ofMillis(400))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> redis.run("KEYS test:load:*").equals("*0"));
        assertThat(redis.run("KEYS test:line:*")).isEqualTo(end == End.SUCCESS ? "*1" : "*0");
    }

    /** One gateway reloads a line ahead of its end; then the others get its rows. */
    @Test
    void rows_areLentAheadOfALinesEnd_unlessTheyAreAsOldAsTheLine() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        TierFigures.Value became = TierFigures.Value.LATE;
        while (became == TierFigures.Value.LATE) {
            long[] id = new long[1];
            lent(a, b, lent -> id[0] = lent, b);
            clock.addAndGet(TTL / 10);
            a.meets(b);
            a.table.lines().flush();
            a.read(id[0]);
            clock.addAndGet(TTL - TTL / 5);
            a.meets(b);
            TierFigures.Value old = b.ahead(id[0]);
            assertThat(old).isIn(TierFigures.Value.OLD, TierFigures.Value.LATE);
            became = old == TierFigures.Value.LATE ? old : a.ahead(id[0]);
        }
        assertThat(became).isEqualTo(TierFigures.Value.HIT);
    }
}
