package org.keyline.gateway.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ResumableSignal;
import org.keyline.stores.RowImage;

/** What a gateway that reads the change signal answers to one that follows it, step by step. */
final class SignalFeedTest {
    private static final String STORE = "mysql://db:3306";
    private static final TableName ORDERS = new TableName("shop", "orders");
    private static final TableName GOODS = new TableName("shop", "goods");

    private final Listening own = new Listening();
    private final Reading signal = new Reading();
    private final Queue<Runnable> replies = new ConcurrentLinkedQueue<>();
    private long now = 1_000;
    private final SignalFeed feed = new SignalFeed(own, signal, STORE, () -> now, replies::add);

    /** A signal whose position is set by hand. */
    private static final class Reading implements ResumableSignal {
        @Nullable
        String position = "p0";

        State state = State.FOLLOWING;

        @Override
        public void start(ChangeListener listener) {}

        @Override
        public void pause() {}

        @Override
        public void resume(@Nullable String from) {}

        @Override
        public @Nullable String position() {
            return position;
        }

        @Override
        public boolean hasTold(long nanos) {
            return false;
        }

        @Override
        public boolean isEarly() {
            return true;
        }

        @Override
        public void serverChanged() {}

        @Override
        public State state() {
            return state;
        }

        @Override
        public long events() {
            return 0;
        }

        @Override
        public void close() {}
    }

    /** The gateway's own tables. */
    private static final class Listening implements ChangeListener {
        final List<String> heard = new ArrayList<>();

        @Override
        public void row(TableSchema table, List<byte @Nullable []> key, List<RowImage> images) {
            heard.add("row");
        }

        @Override
        public void table(TableName table) {
            heard.add("table " + table.table());
        }

        @Override
        public void definitions(Collection<TableName> tables) {
            heard.add("definitions");
        }

        @Override
        public void everything() {
            heard.add("everything");
        }

        @Override
        public void allDefinitions() {
            heard.add("all definitions");
        }

        @Override
        public void privileges() {
            heard.add("privileges");
        }

        @Override
        public void complete(long asOfNanos) {
            heard.add("complete");
        }

        @Override
        public void complete(TableName table, long asOfNanos) {
            heard.add("complete " + table.table());
        }

        @Override
        public Collection<TableName> tables() {
            return List.of(ORDERS);
        }
    }

    /** One connection of another gateway. */
    private final class Follower {
        final long id;
        long number;

        @Nullable
        CompletionStage<byte[]> reply;

        Follower(long id) {
            this.id = id;
        }

        /** Asks; what is heard tells the reply. */
        void ask(@Nullable Set<TableName> tables) {
            reply = feed.ask(SignalCodec.encode(new SignalQuestion(id, ++number, STORE, tables)));
        }

        /** Makes the reply, and tells it in words. */
        String heard() throws IOException {
            for (Runnable next = replies.poll(); next != null; next = replies.poll()) {
                next.run();
            }
            CompletionStage<byte[]> asked = reply;
            if (asked == null || !asked.toCompletableFuture().isDone()) {
                return "nothing yet";
            }
            byte[] bytes;
            try {
                bytes = asked.toCompletableFuture().join();
            } catch (CompletionException e) {
                return "refused: " + (e.getCause() == null ? e : e.getCause()).getMessage();
            }
            return SignalCodec.messages(bytes).stream()
                    .map(SignalFeedTest::words)
                    .collect(Collectors.joining(", "));
        }

        String askAndHear() throws IOException {
            ask(null);
            return heard();
        }
    }

    private static String words(SignalMessage message) {
        if (message instanceof SignalMessage.Table table) {
            return "table " + table.table().table();
        }
        if (message instanceof SignalMessage.Told told) {
            return "told " + told.position();
        }
        if (message instanceof SignalMessage.Complete complete) {
            TableName table = complete.table();
            return "complete " + (table == null ? "" : table.table() + " ") + complete.question();
        }
        return message.getClass().getSimpleName();
    }

    @Test
    void firstReply_saysFromWhereIsTold_andTheNextHasWhatWasToldSince() throws IOException {
        Follower follower = new Follower(1);
        assertThat(follower.askAndHear()).isEqualTo("told p0");
        follower.ask(null);
        assertThat(follower.heard()).isEqualTo("nothing yet");
        feed.table(ORDERS);
        assertThat(follower.heard()).isEqualTo("table orders");
        assertThat(own.heard).containsExactly("table orders");
    }

    /** The position is asked for before what is kept is taken, and comes behind it. */
    @Test
    void position_comesBehindWhatItCovers_andOnlyWhereAllOfThatIsInTheReply() throws IOException {
        Follower follower = new Follower(1);
        follower.askAndHear();
        now += TimeUnit.SECONDS.toNanos(2);
        feed.everything();
        signal.position = "p1";
        assertThat(follower.askAndHear()).isEqualTo("Everything, told p1");

        now += TimeUnit.SECONDS.toNanos(2);
        signal.position = "p2";
        TableName large = new TableName("shop", "x".repeat(60_000));
        for (int i = 0; i < 40; i++) {
            feed.table(large);
        }
        assertThat(follower.askAndHear()).doesNotContain("told").contains("table x");
        assertThat(follower.askAndHear()).doesNotContain("told").contains("table x");
        assertThat(follower.askAndHear()).endsWith("told p2");
    }

    @Test
    void complete_namesTheLastQuestionThatHadCome_whenTheStoreWasAsked() throws IOException {
        Follower follower = new Follower(1);
        follower.askAndHear();
        now = 2_000;
        follower.ask(null);
        long storeAsked = 2_500;
        now = 3_000;
        feed.table(ORDERS);
        assertThat(follower.heard()).isEqualTo("table orders");
        follower.ask(null);
        feed.complete(storeAsked);
        assertThat(follower.heard()).isEqualTo("complete 2");
        follower.ask(null);
        feed.complete(storeAsked);
        assertThat(follower.heard()).as("asked after that").isEqualTo("complete 2");
        now = 4_000;
        follower.ask(null);
        feed.complete(4_000);
        assertThat(follower.heard()).isEqualTo("complete 5");
    }

    @Test
    void complete_beforeAnyQuestion_isNotTold() throws IOException {
        Follower follower = new Follower(1);
        follower.ask(null);
        feed.complete(now - 1);
        assertThat(follower.heard()).isEqualTo("told p0");
    }

    /** The signal is asked about the tables of all gateways; each hears what is complete of its own. */
    @Test
    void tables_areThoseOfAll_andCompleteIsToldToThoseThatHaveThem() throws IOException {
        Follower one = new Follower(1);
        Follower other = new Follower(2);
        one.ask(Set.of(GOODS));
        other.ask(Set.of());
        one.heard();
        other.heard();
        assertThat(feed.tables()).containsExactlyInAnyOrder(ORDERS, GOODS);
        feed.complete(GOODS, now + 1);
        assertThat(one.askAndHear()).isEqualTo("complete goods 1");
        assertThat(other.askAndHear()).isEqualTo("nothing yet");
        one.ask(Set.of(ORDERS));
        assertThat(feed.tables()).containsExactly(ORDERS);
    }

    @Test
    void whoFollowsAnotherGateway_orHasNoLiveSignal_orAnotherStore_refuses() throws IOException {
        Follower follower = new Follower(1);
        follower.askAndHear();
        follower.ask(null);
        feed.refuse("it follows gateway a");
        assertThat(follower.heard()).isEqualTo("refused: it follows gateway a");
        assertThat(new Follower(2).askAndHear()).isEqualTo("refused: it follows gateway a");
        feed.refuse(null);
        assertThat(follower.askAndHear()).isEqualTo("refused: it keeps nothing for this gateway any more");

        signal.state = ResumableSignal.State.LOST;
        assertThat(new Follower(3).askAndHear()).isEqualTo("refused: its change signal is not live");
        signal.state = ResumableSignal.State.FOLLOWING;
        signal.position = null;
        assertThat(new Follower(4).askAndHear()).isEqualTo("refused: its change signal is not live");

        Follower stranger = new Follower(5);
        stranger.reply = feed.ask(SignalCodec.encode(new SignalQuestion(5, 1, "mysql://other:3306", null)));
        assertThat(stranger.heard())
                .isEqualTo("refused: store.url of the other gateway: mysql://other:3306 (expected: mysql://db:3306)");
        stranger.reply = feed.ask(new byte[] {1, 2});
        assertThat(stranger.heard()).startsWith("refused: ");
    }

    @Test
    void whoDoesNotFetchOrAsk_isLeft() throws IOException {
        Follower slow = new Follower(1);
        slow.askAndHear();
        TableName large = new TableName("shop", "x".repeat(60_000));
        for (int i = 0; i < 200; i++) {
            feed.table(large);
        }
        assertThat(slow.askAndHear()).isEqualTo("refused: this gateway is more than 8388608 bytes behind");
        assertThat(slow.askAndHear()).isEqualTo("refused: it keeps nothing for this gateway any more");

        Follower silent = new Follower(2);
        silent.askAndHear();
        assertThat(feed.followers()).isEqualTo(1);
        now += TimeUnit.SECONDS.toNanos(6);
        assertThat(feed.followers()).isZero();
        assertThat(silent.askAndHear()).isEqualTo("refused: it keeps nothing for this gateway any more");
    }
}
