package org.keyline.gateway.admin;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Detects stuck event loops by waiting for each loop to run an empty task. Thread-safe. */
public final class LoopProbe {
    private final List<Loop> loops;
    private final Duration timeout;

    public LoopProbe(Iterable<? extends EventExecutor> loops, Duration timeout) {
        List<Loop> asked = new ArrayList<>();
        loops.forEach(loop -> asked.add(new Loop(loop)));
        this.loops = List.copyOf(asked);
        this.timeout = timeout;
    }

    /** Counts the loops that do not answer within the timeout. Never completes exceptionally. */
    public CompletionStage<Integer> silent() {
        List<CompletableFuture<Void>> asked = loops.stream().map(Loop::ask).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, timeout.toMillis(), TimeUnit.MILLISECONDS)
                .handle((done, failure) ->
                        (int) asked.stream().filter(answer -> !answer.isDone()).count());
    }

    private static final class Loop {
        private final EventExecutor executor;
        private @Nullable CompletableFuture<Void> asked;

        Loop(EventExecutor executor) {
            this.executor = executor;
        }

        synchronized CompletableFuture<Void> ask() {
            CompletableFuture<Void> running = asked;
            if (running != null && !running.isDone()) {
                return running.copy();
            }
            CompletableFuture<Void> answer = new CompletableFuture<>();
            asked = answer;
            try {
                executor.execute(() -> answer.complete(null));
            } catch (RejectedExecutionException stopped) {
                // The gateway is stopping, so a rejected task is no failure.
                answer.complete(null);
            }
            return answer.copy();
        }
    }
}
