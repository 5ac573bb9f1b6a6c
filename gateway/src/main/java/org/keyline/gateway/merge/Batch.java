package org.keyline.gateway.merge;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ServerErrorException;

/**
 * Several INSERTs as one statement in a transaction of its own, on the store session of the first.
 * Confined to the event loop of the first, once it runs.
 */
final class Batch implements WaitingInsert.Listener {
    /*
     * Without COMMIT, nothing remains of a batch: the store rolls back the transaction of a lost
     * session. So up to COMMIT, every failure means that each INSERT goes alone and gets its own
     * reply. After COMMIT none may be sent again.
     *
     * A batch waits for no row lock. Otherwise a locked row would make the clients of all other
     * rows wait; alone, only its own client does.
     */
    private static final String BEGIN = "START TRANSACTION";

    private static final String WITHOUT_WAITING =
            "SET STATEMENT innodb_lock_wait_timeout = 0, lock_wait_timeout = 0 FOR ";
    /** Independent of completion_type. */
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
     * @param head the statement up to its rows
     * @param inserts at least two, in order of arrival
     * @param committing runs when all rows were inserted and COMMIT was sent
     * @param ended runs when all have their outcome
     * @param failed receives those that must go alone, in their order; the store has none of their
     *     rows
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

    /** Begins, on any thread. */
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

    /**
     * Ends the batch without its store session, whose open transaction is rolled back when it
     * closes.
     */
    private void withoutLeader(Throwable cause) {
        leader().lost(cause);
        fails(inserts.subList(1, inserts.size()));
    }

    private void fails(List<WaitingInsert> unsent) {
        figures.failed().increment();
        failed.accept(unsent);
    }
}
