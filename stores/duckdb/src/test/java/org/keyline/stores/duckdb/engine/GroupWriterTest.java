package org.keyline.stores.duckdb.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.engine.Write.Work;

/** The outcomes of writes that wait for one commit, some of which fail. */
final class GroupWriterTest {
    private static final int ROWS = 128;
    private static final int ROUNDS = 400;

    private Database database;
    private EngineConnection connection;
    private GroupWriter writer;

    @BeforeEach
    void open() throws Exception {
        database = Database.open(EngineOptions.of(null));
        connection = database.connect();
        connection.execute("CREATE TABLE memory.main.t (k INTEGER PRIMARY KEY, v VARCHAR NOT NULL)");
        writer = new GroupWriter(database.connect(), 1000, 256, new DefaultThreadFactory("writer", true));
    }

    @AfterEach
    void close() {
        writer.close();
        connection.close();
        database.close();
    }

    private static Work row(Object key, Object value) {
        return connection -> connection.update("INSERT INTO memory.main.t VALUES (?, ?)", List.of(key, value));
    }

    /** Returns the outcomes of writes that all wait before the first of them begins. */
    private List<Write.Outcome> written(List<Work> works) throws Exception {
        List<CompletableFuture<Write.Outcome>> outcomes = new ArrayList<>();
        writer.gate().lock();
        try {
            // The writer takes this one, and then waits: it has begun once the queue has no other
            // write.
            submit(row(-1, "first"), outcomes);
            while (!writer.gate().hasQueuedThreads()) {
                LockSupport.parkNanos(100_000);
            }
            for (Work work : works) {
                submit(work, outcomes);
            }
        } finally {
            writer.gate().unlock();
        }
        List<Write.Outcome> told = new ArrayList<>();
        for (CompletableFuture<Write.Outcome> outcome : outcomes.subList(1, outcomes.size())) {
            told.add(outcome.get(30, TimeUnit.SECONDS));
        }
        return told;
    }

    private void submit(Work work, List<CompletableFuture<Write.Outcome>> outcomes) {
        CompletableFuture<Write.Outcome> outcome = new CompletableFuture<>();
        outcomes.add(outcome);
        writer.submit(new Write(work, 1, outcome::complete));
    }

    private List<String> stored() throws Exception {
        return connection.texts("SELECT k || ' ' || v FROM memory.main.t WHERE k >= 0 ORDER BY k", List.of()).stream()
                .map(row -> row.get(0))
                .toList();
    }

    @Test
    void rows_ofManyWrites_areOneCommit() throws Exception {
        List<Work> works = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            works.add(row(i, "v" + i));
            expected.add(i + " v" + i);
        }
        List<Write.Outcome> outcomes = written(works);
        assertThat(outcomes).allMatch(outcome -> outcome.error() == null && outcome.affectedRows() == 1);
        assertThat(writer.commits())
                .as("that of the first, and that of the others")
                .isEqualTo(2);
        assertThat(stored()).isEqualTo(expected);
    }

    @Test
    void rowThatFails_isFoundByHalves_andNoOtherFailsOrIsWrittenTwice() throws Exception {
        for (int bad : new int[] {0, 1, ROWS / 2, ROWS - 1}) {
            close();
            open();
            List<Work> works = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < ROWS; i++) {
                works.add(i == bad ? row(-1, "there") : row(i, "v" + i));
                if (i != bad) {
                    expected.add(i + " v" + i);
                }
            }
            List<Write.Outcome> outcomes = written(works);
            for (int i = 0; i < ROWS; i++) {
                StatementRefusedException error = outcomes.get(i).error();
                if (i == bad) {
                    assertThat(requireNonNull(error).code()).isEqualTo(1062);
                } else {
                    assertThat(error).isNull();
                }
            }
            assertThat(stored()).isEqualTo(expected);
            assertThat(writer.commits())
                    .as("of the first, and one for each halving")
                    .isEqualTo(1 + 7);
        }
    }

    @Test
    void twoRowsOfOneKey_theFirstOfThemStays_whateverIsBetween() throws Exception {
        List<Work> works = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            works.add(row(i % 10, "v" + i));
            if (i == 25) {
                works.add(connection -> connection.update("DELETE FROM memory.main.t WHERE k = ?", List.of(3)));
                works.add(row(3, "again"));
            }
        }
        List<Write.Outcome> outcomes = written(works);
        assertThat(outcomes.stream().filter(outcome -> outcome.error() == null)).hasSize(12);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            expected.add(i + (i == 3 ? " again" : " v" + i));
        }
        assertThat(stored()).isEqualTo(expected);
    }

    @Test
    void write_thatIsAcceptedWhileTheWriterCloses_getsAnOutcome() throws Exception {
        int clients = 16;
        int accepted = 0;
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        for (int round = 0; round < ROUNDS; round++) {
            GroupWriter closing = new GroupWriter(database.connect(), 1000, 16, new DefaultThreadFactory("w", true));
            CyclicBarrier together = new CyclicBarrier(clients + 1);
            List<Future<Boolean>> submitted = new ArrayList<>();
            List<CompletableFuture<Write.Outcome>> outcomes = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                Work work = row(round * clients + client, "v");
                CompletableFuture<Write.Outcome> outcome = new CompletableFuture<>();
                outcomes.add(outcome);
                submitted.add(threads.submit(() -> {
                    together.await();
                    closing.submit(new Write(work, 1, outcome::complete));
                    return true;
                }));
            }
            together.await();
            closing.close();
            for (int client = 0; client < clients; client++) {
                try {
                    assertThat(submitted.get(client).get()).isTrue();
                    assertThat(outcomes.get(client).isDone())
                            .as("round %s", round)
                            .isTrue();
                    accepted++;
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).hasMessageContaining("Server shutdown");
                }
            }
        }
        threads.shutdown();
        assertThat(stored()).hasSize(accepted);
    }

    @Test
    void outcome_thatNobodyTakes_endsNoOtherWrite() throws Exception {
        List<CompletableFuture<Write.Outcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            // Some of these writes are alone, and some share a commit.
            writer.submit(new Write(row(2 * i, "a"), 1, outcome -> {
                throw new RejectedExecutionException("the workers are closed");
            }));
            submit(row(2 * i + 1, "b"), outcomes);
        }
        for (CompletableFuture<Write.Outcome> outcome : outcomes) {
            assertThat(outcome.get(30, TimeUnit.SECONDS).error()).isNull();
        }
        assertThat(stored()).hasSize(100);
    }

    @Test
    void writer_thatIsClosedWithNothingToWrite_endsQuietly() throws Exception {
        AtomicReference<Throwable> died = new AtomicReference<>();
        EngineConnection gone = database.connect();
        GroupWriter idle = new GroupWriter(gone, 10, 10, task -> {
            Thread thread = new Thread(task);
            thread.setUncaughtExceptionHandler((of, cause) -> died.set(cause));
            return thread;
        });
        gone.close();
        idle.close();
        assertThat(died).hasNullValue();
    }
}
