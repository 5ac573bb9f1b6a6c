package org.keyline.gateway.merge;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.keyline.gateway.metrics.MergeFigures;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ServerErrorException;

/** Sends several INSERTs as one transaction, on the store session of the first client. */
final class Batch implements WaitingInsert.Listener {
    /*
     * The store rolls back the transaction of a lost session, so nothing remains of a batch without
     * COMMIT. Therefore, after any failure before COMMIT, each INSERT is sent alone and gets its
     * own reply. After COMMIT, no INSERT may be sent again.
     *
     * A batch does not wait for row locks, because one locked row would delay the clients of all
     * other rows. An INSERT that is sent alone may wait.
     */
    private static final String BEGIN = "START TRANSACTION";

    private static final String WITHOUT_WAITING =
            "SET STATEMENT innodb_lock_wait_timeout = 0, lock_wait_timeout = 0 FOR ";
    /** The explicit options make these statements independent of completion_type. */
    private static final String COMMIT = "COMMIT AND NO CHAIN NO RELEASE";

    private static final String ROLLBACK = "ROLLBACK AND NO CHAIN NO RELEASE";

    private enum Step {
        BEGIN,
        INSERT,
        COMMIT,
        ROLLBACK
    }

    private final String head;
    private final List<WaitingInsert> inserts;
    private final MergeFigures figures;
    private final Runnable committing;
    private final Runnable ended;
    private final Consumer<List<WaitingInsert>> failed;
    private Step step = Step.BEGIN;

    /**
     * @param head the text of the INSERT up to and including VALUES
     * @param inserts at least two INSERTs, in order of arrival
     * @param committing runs after all rows were inserted and COMMIT was sent
     * @param ended runs when COMMIT has succeeded, or when its outcome is unknown
     * @param failed receives the INSERTs of a failed batch, to be sent one by one in order of
     * arrival; the store has none of their rows
     */
    Batch(
            String head,
            List<WaitingInsert> inserts,
            MergeFigures figures,
            Runnable committing,
            Runnable ended,
            Consumer<List<WaitingInsert>> failed) {
        this.head = head;
        this.inserts = List.copyOf(inserts);
        this.figures = figures;
        this.committing = committing;
        this.ended = ended;
        this.failed = failed;
    }

    /** Runs the batch. May be called on any thread. */
    void run() {
        leader().send(BEGIN, this);
    }

    private WaitingInsert leader() {
        return inserts.get(0);
    }

    private void next(Step following, String sql) {
        step = following;
        leader().send(sql, this);
    }

    @Override
    public void received(ReplySummary reply) {
        ErrPacket error = reply.error();
        switch (step) {
            case BEGIN -> {
                if (error == null) {
                    next(
                            Step.INSERT,
                            inserts.stream()
                                    .map(WaitingInsert::row)
                                    .collect(Collectors.joining(", ", WITHOUT_WAITING + head, "")));
                } else {
                    fails(inserts);
                }
            }
            case INSERT -> {
                boolean all = error == null
                        && reply.affectedRows() == inserts.size()
                        && reply.warnings() == 0
                        && reply.lastInsertId() == 0;
                next(all ? Step.COMMIT : Step.ROLLBACK, all ? COMMIT : ROLLBACK);
                if (all) {
                    committing.run();
                }
            }
            case COMMIT -> {
                if (error == null) {
                    figures.committed().increment();
                    figures.rows().add(inserts.size());
                    inserts.forEach(WaitingInsert::committed);
                    ended.run();
                } else {
                    unknown(new ServerErrorException(error));
                }
            }
            case ROLLBACK -> {
                if (error == null) {
                    fails(inserts);
                } else {
                    withoutLeader(new ServerErrorException(error));
                }
            }
        }
    }

    @Override
    public void lost(Throwable cause) {
        if (step == Step.COMMIT) {
            unknown(cause);
        } else {
            withoutLeader(cause);
        }
    }

    private void unknown(Throwable cause) {
        figures.unknown().increment();
        inserts.forEach(insert -> insert.lost(cause));
        ended.run();
    }

    /** Closes the first client's store session, so that the store rolls back the batch. */
    private void withoutLeader(Throwable cause) {
        leader().lost(cause);
        fails(inserts.subList(1, inserts.size()));
    }

    private void fails(List<WaitingInsert> unsent) {
        figures.failed().increment();
        failed.accept(unsent);
    }
}
