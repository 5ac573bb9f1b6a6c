package org.keyline.gateway.merge;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.gateway.metrics.MergeFigures;
import org.keyline.planner.TableName;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.codec.Packets;

/** The INSERTs that are merged and their outcomes, with a clock controlled by the test. */
final class MergedInsertsTest {
    private static final MergeKey KEY = key("a");
    private static final String ROWS = "SET STATEMENT innodb_lock_wait_timeout = 0, lock_wait_timeout = 0 FOR "
            + "INSERT INTO `shop`.`odd``name` (`id`, `v`) VALUES ";
    private static final String COMMIT = "COMMIT AND NO CHAIN NO RELEASE";
    private static final String ROLLBACK = "ROLLBACK AND NO CHAIN NO RELEASE";

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final MergeFigures figures = new MergeFigures();
    private final MergedInserts inserts = new MergedInserts(name -> true, figures);
    /** Commands to the store and replies to clients, in order. */
    private final List<String> log = new ArrayList<>();

    private final Map<String, Runnable> alone = new HashMap<>();
    private WaitingInsert.@Nullable Listener asked;

    @AfterEach
    void close() {
        var unused = channel.close();
    }

    private static MergeKey key(String account) {
        return new MergeKey(new TableName("shop", "odd`name"), 1, List.of("id", "v"), account, "");
    }

    /** An INSERT named after its row. */
    private record Insert(MergedInsertsTest test, String row) implements WaitingInsert {
        @Override
        public EventLoop loop() {
            return test.channel.eventLoop();
        }

        @Override
        public void alone(Runnable then) {
            test.log.add(row);
            test.alone.put(row, then);
        }

        @Override
        public void send(String sql, Listener listener) {
            test.log.add(row + " " + sql);
            test.asked = listener;
        }

        @Override
        public void committed() {
            test.log.add(row + " committed");
        }

        @Override
        public void lost(Throwable cause) {
            test.log.add(row + " lost");
        }
    }

    private Predicate<WaitingInsert> add(String row) {
        return inserts.add(KEY, new Insert(this, row));
    }

    private void answered(String row) {
        requireNonNull(alone.remove(row), row + " is not under way").run();
    }

    private void received(long rows, int warnings, long id) {
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        new OkPacket(rows, id, 2, warnings).encode(packet);
        received(packet, begin);
    }

    private void received(ErrorCode error) {
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        ErrPacket.of(error).encode(packet);
        received(packet, begin);
    }

    private void received(ByteBuf packet, int begin) {
        int next = Packets.end(packet, begin, 1);
        assertThat(next).isEqualTo(2);
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_QUERY, 0);
        int end = scanner.scan(packet, 0, packet.writerIndex());
        assertThat(end).isEqualTo(packet.writerIndex());
        ReplySummary summary = scanner.summary();
        listener().received(summary);
    }

    private void lost() {
        listener().lost(new IOException("gone"));
    }

    private WaitingInsert.Listener listener() {
        WaitingInsert.Listener listener = requireNonNull(asked, "nothing is asked");
        asked = null;
        return listener;
    }

    private List<String> happened() {
        List<String> happened = List.copyOf(log);
        log.clear();
        return happened;
    }

    /** One INSERT runs alone, and these wait for it. */
    private void waiting(String... rows) {
        add("first");
        for (String row : rows) {
            add(row);
        }
        assertThat(happened()).containsExactly("first");
    }

    /** The batch of (1) and (2) is about to be inserted. */
    private void inserting() {
        waiting("(1)", "(2)");
        answered("first");
        assertThat(happened()).containsExactly("(1) START TRANSACTION");
        received(0, 0, 0);
        assertThat(happened()).containsExactly("(1) " + ROWS + "(1), (2)");
    }

    @Test
    void those_thatComeWhileOneIsUnderWay_goTogetherThen() {
        inserting();
        received(2, 0, 0);
        add("(3)");
        assertThat(happened()).containsExactly("(1) " + COMMIT);
        received(0, 0, 0);
        // The next turn begins; a single waiting INSERT runs alone.
        assertThat(happened()).containsExactly("(1) committed", "(2) committed", "(3)");
        assertThat(figures.committed().sum()).isEqualTo(1);
        assertThat(figures.rows().sum()).isEqualTo(2);
        answered("(3)");
        add("(4)");
        assertThat(happened()).containsExactly("(4)");
    }

    @Test
    void those_thatWaitAtACommit_beginBesideIt_whereTheyAreMany() {
        inserting();
        add("(3)");
        received(2, 0, 0);
        assertThat(happened()).containsExactly("(1) " + COMMIT, "(3)");
        received(0, 0, 0);
        assertThat(happened()).containsExactly("(1) committed", "(2) committed");
        // This is the turn of (3), whose end begins the next.
        add("(4)");
        assertThat(happened()).isEmpty();
        answered("(3)");
        assertThat(happened()).containsExactly("(4)");
    }

    @Test
    void those_thatWaitAtACommit_waitForItsEnd_whereTheyAreFew() {
        waiting("(1)", "(2)", "(3)");
        answered("first");
        received(0, 0, 0);
        add("(4)");
        received(3, 0, 0);
        assertThat(happened()).endsWith("(1) " + COMMIT);
        received(0, 0, 0);
        assertThat(happened()).containsExactly("(1) committed", "(2) committed", "(3) committed", "(4)");
    }

    @Test
    void those_ofAnotherKind_goByThemselves() {
        waiting("(1)");
        inserts.add(key("b"), new Insert(this, "(2)"));
        assertThat(happened()).containsExactly("(2)");
        answered("first");
        assertThat(happened()).containsExactly("(1)");
    }

    /** Replies to a batch that differ from those that its INSERTs would get alone. */
    private enum Doubt {
        ERROR,
        FEWER_ROWS,
        WARNING,
        INSERT_ID
    }

    @ParameterizedTest
    @EnumSource
    void batch_thatFails_leavesNothing_andEachGoesAloneInItsOrder(Doubt doubt) {
        inserting();
        switch (doubt) {
            case ERROR -> received(ErrorCode.ER_UNKNOWN_ERROR);
            case FEWER_ROWS -> received(1, 0, 0);
            case WARNING -> received(2, 1, 0);
            case INSERT_ID -> received(2, 0, 7);
        }
        assertThat(happened()).containsExactly("(1) " + ROLLBACK);
        received(0, 0, 0);
        assertThat(happened()).containsExactly("(1)");
        answered("(1)");
        assertThat(happened()).containsExactly("(2)");
        add("(3)");
        assertThat(happened()).isEmpty();
        answered("(2)");
        assertThat(happened()).containsExactly("(3)");
        assertThat(figures.failed().sum()).isEqualTo(1);
        assertThat(figures.committed().sum()).isZero();
    }

    @Test
    void oneAlone_thatLasts_keepsThoseBehindItForAMomentOnly() {
        inserting();
        received(ErrorCode.ER_UNKNOWN_ERROR);
        received(0, 0, 0);
        assertThat(happened()).containsExactly("(1) " + ROLLBACK, "(1)");
        moment();
        assertThat(happened()).containsExactly("(2)");
        answered("(1)");
        answered("(2)");
        assertThat(happened()).isEmpty();
    }

    @Test
    void batch_thatCanNotBegin_goesAlone() {
        waiting("(1)", "(2)");
        answered("first");
        received(ErrorCode.ER_UNKNOWN_ERROR);
        assertThat(happened()).containsExactly("(1) START TRANSACTION", "(1)");
    }

    @Test
    void session_thatDoesNotRollBack_isOfNoMoreUse() {
        inserting();
        received(ErrorCode.ER_UNKNOWN_ERROR);
        received(ErrorCode.ER_UNKNOWN_ERROR);
        assertThat(happened()).containsExactly("(1) " + ROLLBACK, "(1) lost", "(2)");
    }

    @ParameterizedTest
    @EnumSource(
            value = Doubt.class,
            names = {"ERROR", "WARNING"})
    void commit_ofUnknownOutcome_isToldToAll_andNoneGoesAgain(Doubt error) {
        inserting();
        received(2, 0, 0);
        if (error == Doubt.ERROR) {
            received(ErrorCode.ER_UNKNOWN_ERROR);
        } else {
            lost();
        }
        assertThat(happened()).containsExactly("(1) " + COMMIT, "(1) lost", "(2) lost");
        assertThat(figures.unknown().sum()).isEqualTo(1);
        moment();
        assertThat(happened()).isEmpty();
        add("(3)");
        assertThat(happened()).containsExactly("(3)");
    }

    @Test
    void turn_thatLasts_isNotWaitedFor_andItsLateEndBeginsNothing() {
        waiting("(1)", "(2)");
        moment();
        assertThat(happened()).containsExactly("(1) START TRANSACTION");
        add("(3)");
        answered("first");
        assertThat(happened()).isEmpty();
        received(0, 0, 0);
        received(2, 0, 0);
        received(0, 0, 0);
        assertThat(happened()).endsWith("(1) " + COMMIT, "(3)", "(1) committed", "(2) committed");
    }

    @Test
    void those_thatAreTooMany_goInSeveralBatches() {
        waiting();
        for (int i = 0; i < 257; i++) {
            add("(" + i + ")");
        }
        answered("first");
        received(0, 0, 0);
        received(256, 0, 0);
        received(0, 0, 0);
        assertThat(happened()).endsWith("(255) committed", "(256)");
    }

    @Test
    void those_thatAreTooLong_goInSeveralBatches() {
        String half = "x".repeat(70_000);
        waiting(half, half + "y", "(1)");
        answered("first");
        assertThat(happened()).containsExactly(half);
        answered(half);
        assertThat(happened()).containsExactly(half + "y START TRANSACTION");
    }

    private void moment() {
        channel.advanceTimeBy(20, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }
}
