package org.keyline.gateway.signal;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A gateway that reads the change signal of a store for another one, which has a line of one row: every order of their steps. A write is
 * visible in the store and in its log at one moment. A state is all that either knows; what is on its way is in order, or lost as a whole.
 */
final class SharedSignalModel {
    /** A rule that is left out. */
    enum Flaw {
        NONE,
        /** The follower stops to read as soon as the reader keeps what it tells. */
        STOPS_TOO_EARLY,
        /** It stops when it has read up to the position that the reader had then, though that may have told more. */
        STOPS_AT_POSITION,
        /** It stops when it has read all that was there when it asked the store, though that was before. */
        STOPS_BY_OLD_ANSWER,
        /** The reader says how far it has told after it has taken what it tells. */
        POSITION_AFTER_TAKING,
        /** The follower vouches as of when it hears that all is told. */
        AS_OF_ARRIVAL,
        /** The reader counts a question in that came after it had asked the store. */
        LATE_QUESTION,
        /** The follower believes the other one while it still reads for itself. */
        BELIEVES_TOO_EARLY,
        /** The follower goes on at the end of the log, not where the other one had told. */
        RESUMES_AT_END,
        /** That all is told overtakes what is told. */
        OVERTAKES,
        /** A reader that began anew does not say so. */
        SILENT_ABOUT_LOSS
    }

    /** What is on its way. */
    sealed interface Message {
        /** A row changed. */
        record Changed() implements Message {}

        /** All that was visible when this question was asked has been told. */
        record Complete(int question) implements Message {}

        /** The reader had told up to there. */
        record Told(int position) implements Message {}
    }

    private static final int NONE = -1;

    /**
     * @param written writes so far; each row version is the number of its write
     * @param read how far the reader has told
     * @param at the position that it knows, which follows
     * @param logged how far the log was when the reader asked; NONE: it waits for no answer
     * @param counted the last question of the follower before that
     * @param keeps whether the reader keeps what it tells for the follower
     * @param received the last question that the reader has received
     * @param news what it has told since the last reply
     * @param position what the next reply says; NONE: none is being made
     * @param onItsWay replies, in order
     * @param follows whether the follower has stopped to read for itself
     * @param kept whether it knows that the reader keeps what it tells for it
     * @param joins how far the log was when it asked after that; NONE: it waits for no answer
     * @param own how far the follower has read itself
     * @param told how far the other one had told it
     * @param asked what was visible when each question was asked
     * @param line the version of the row in memory; NONE: none is
     * @param loading the version that a load has read; NONE: none is under way
     */
    record State(
            int written,
            int read,
            int at,
            int logged,
            int counted,
            boolean keeps,
            int received,
            List<Message> news,
            int position,
            List<Message> onItsWay,
            boolean follows,
            boolean kept,
            int joins,
            int own,
            int told,
            List<Integer> asked,
            int line,
            int loading,
            int losses) {}

    /** @param violation the steps to a wrong line that was vouched for; null: there is none */
    record Result(int states, @Nullable List<String> violation) {}

    private final int writes;
    private final int questions;
    private final int losses;
    private final Flaw flaw;

    private final Map<State, Origin> seen = new HashMap<>();
    private final Deque<State> next = new ArrayDeque<>();
    private @Nullable String wrong;

    private record Origin(@Nullable State from, String step) {}

    SharedSignalModel(int writes, int questions, int losses, Flaw flaw) {
        this.writes = writes;
        this.questions = questions;
        this.losses = losses;
        this.flaw = flaw;
    }

    Result explore() {
        State start = new State(
                0, 0, 0, NONE, 0, false, 0, List.of(), NONE, List.of(), false, false, NONE, 0, 0, List.of(), NONE, NONE,
                0);
        reach(null, "start", start);
        while (!next.isEmpty()) {
            State at = next.remove();
            wrong = null;
            steps(at, (step, to) -> reach(at, step, to));
            if (wrong != null) {
                return new Result(seen.size(), path(at, wrong));
            }
        }
        return new Result(seen.size(), null);
    }

    private void reach(@Nullable State from, String step, State to) {
        if (seen.putIfAbsent(to, new Origin(from, step)) == null) {
            next.add(to);
        }
    }

    private List<String> path(State at, String last) {
        List<String> steps = new ArrayList<>(List.of(last));
        for (State each = at; each != null; ) {
            Origin origin = requireNonNull(seen.get(each));
            steps.add(0, origin.step());
            each = origin.from();
        }
        return steps;
    }

    /** Where a step leads. */
    private interface Steps {
        void to(String step, State state);
    }

    private void steps(State at, Steps then) {
        store(at, then);
        reader(at, then);
        follower(at, then);
        if (at.losses < losses) {
            then.to("the connection is lost", lost(at));
            // The reader begins anew, and whoever had its news is told that.
            Change anew = new Change(at);
            anew.read = at.written;
            anew.at = at.written;
            anew.logged = NONE;
            anew.losses++;
            if (at.keeps && flaw != Flaw.SILENT_ABOUT_LOSS) {
                anew.news = with(at.news, new Message.Changed());
            }
            then.to("the reader begins anew", anew.done());
        }
    }

    private State lost(State at) {
        Change to = new Change(at);
        to.losses++;
        // Questions of the next connection are its own.
        to.logged = NONE;
        to.keeps = false;
        to.received = at.asked.size();
        to.counted = at.asked.size();
        to.news = List.of();
        to.position = NONE;
        to.onItsWay = List.of();
        to.kept = false;
        to.joins = NONE;
        if (at.follows) {
            to.follows = false;
            to.own = flaw == Flaw.RESUMES_AT_END ? at.written : at.told;
        }
        return to.done();
    }

    private void store(State at, Steps then) {
        if (at.written < writes) {
            Change to = new Change(at);
            to.written++;
            then.to("write", to.done());
        }
        if (at.loading == NONE && at.line == NONE) {
            Change to = new Change(at);
            to.loading = at.written;
            then.to("the load reads", to.done());
        } else if (at.loading != NONE) {
            Change to = new Change(at);
            to.line = at.loading;
            to.loading = NONE;
            then.to("the load ends", to.done());
        }
    }

    private void reader(State at, Steps then) {
        if (at.read < at.written) {
            Change to = new Change(at);
            to.read++;
            if (at.keeps) {
                to.news = with(at.news, new Message.Changed());
            }
            then.to("the reader tells", to.done());
        }
        if (at.at < at.read) {
            Change to = new Change(at);
            to.at = at.read;
            then.to("the reader knows its position", to.done());
        }
        if (at.logged == NONE && at.counted < at.received) {
            Change to = new Change(at);
            to.logged = at.written;
            to.counted = at.received;
            then.to("the reader asks how far the log is", to.done());
        } else if (at.logged != NONE && at.at >= at.logged) {
            Change to = new Change(at);
            to.logged = NONE;
            int counted = flaw == Flaw.LATE_QUESTION ? at.received : at.counted;
            if (at.keeps && counted > 0) {
                Message complete = new Message.Complete(counted);
                if (flaw == Flaw.OVERTAKES) {
                    to.onItsWay = with(at.onItsWay, complete);
                } else {
                    to.news = with(at.news, complete);
                }
            }
            then.to("the reader has told all", to.done());
        }
        keep(at, then);
        if (at.keeps && at.kept) {
            reply(at, then);
        }
        if (at.received < at.asked.size() && at.keeps) {
            Change to = new Change(at);
            to.received++;
            then.to("a question arrives", to.done());
        }
    }

    private void keep(State at, Steps then) {
        if (!at.keeps && !at.follows) {
            Change to = new Change(at);
            to.keeps = true;
            then.to("the reader keeps what it tells", to.done());
        }
        if (at.keeps && !at.kept) {
            Change to = new Change(at);
            to.kept = true;
            // A reply without news.
            to.told = at.at;
            if (flaw == Flaw.STOPS_AT_POSITION) {
                to.joins = at.at;
            }
            then.to("the follower hears of that", to.done());
        }
    }

    private void reply(State at, Steps then) {
        boolean late = flaw == Flaw.POSITION_AFTER_TAKING;
        if (at.position == NONE && !at.news.isEmpty()) {
            Change to = new Change(at);
            to.position = at.at;
            if (late) {
                to.onItsWay = with(at.onItsWay, at.news);
                to.news = List.of();
            }
            then.to("the reader begins a reply", to.done());
        } else if (at.position != NONE) {
            Change to = new Change(at);
            to.onItsWay = late ? at.onItsWay : with(at.onItsWay, at.news);
            to.news = late ? at.news : List.of();
            to.onItsWay = with(to.onItsWay, new Message.Told(late ? at.at : at.position));
            to.position = NONE;
            then.to("the reader replies", to.done());
        }
    }

    private void follower(State at, Steps then) {
        if (at.asked.size() < questions && at.keeps) {
            Change to = new Change(at);
            List<Integer> asked = new ArrayList<>(at.asked);
            asked.add(at.written);
            to.asked = List.copyOf(asked);
            then.to("the follower asks", to.done());
        }
        if (!at.follows) {
            if (at.own < at.written) {
                Change to = new Change(at);
                to.own++;
                to.line = NONE;
                to.loading = NONE;
                then.to("the follower reads", to.done());
            } else {
                vouch(at, at.written, "the follower has read all");
            }
            boolean mayAsk = flaw == Flaw.STOPS_BY_OLD_ANSWER || (at.kept && flaw != Flaw.STOPS_AT_POSITION);
            if (at.joins == NONE && mayAsk) {
                Change to = new Change(at);
                to.joins = flaw == Flaw.STOPS_TOO_EARLY ? 0 : at.written;
                then.to("the follower asks how far the log is", to.done());
            }
            if (at.kept && at.joins != NONE && at.own >= at.joins) {
                Change to = new Change(at);
                to.follows = true;
                to.joins = NONE;
                then.to("the follower stops to read", to.done());
            }
        }
        if (at.kept && !at.onItsWay.isEmpty()) {
            hear(at, then);
        }
    }

    private void hear(State at, Steps then) {
        Message message = at.onItsWay.get(0);
        Change to = new Change(at);
        to.onItsWay = at.onItsWay.subList(1, at.onItsWay.size());
        if (message instanceof Message.Changed) {
            to.line = NONE;
            to.loading = NONE;
        } else if (message instanceof Message.Told told) {
            to.told = told.position();
        } else if (message instanceof Message.Complete complete && (at.follows || flaw == Flaw.BELIEVES_TOO_EARLY)) {
            int visible = flaw == Flaw.AS_OF_ARRIVAL ? at.written : at.asked.get(complete.question() - 1);
            vouch(at, visible, "the follower hears that all is told");
        }
        then.to("the follower hears", to.done());
    }

    private void vouch(State at, int visible, String step) {
        if (at.line != NONE && at.line < visible) {
            wrong = step + ", and vouches for version " + at.line + " as of " + visible;
        }
    }

    private static List<Message> with(List<Message> some, Message more) {
        return with(some, List.of(more));
    }

    private static List<Message> with(List<Message> some, List<Message> more) {
        List<Message> all = new ArrayList<>(some);
        all.addAll(more);
        return List.copyOf(all);
    }

    /** A state that is being made of another one. */
    private static final class Change {
        int written;
        int read;
        int at;
        int logged;
        int counted;
        boolean keeps;
        int received;
        List<Message> news;
        int position;
        List<Message> onItsWay;
        boolean follows;
        boolean kept;
        int joins;
        int own;
        int told;
        List<Integer> asked;
        int line;
        int loading;
        int losses;

        Change(State from) {
            written = from.written;
            read = from.read;
            at = from.at;
            logged = from.logged;
            counted = from.counted;
            keeps = from.keeps;
            received = from.received;
            news = from.news;
            position = from.position;
            onItsWay = from.onItsWay;
            follows = from.follows;
            kept = from.kept;
            joins = from.joins;
            own = from.own;
            told = from.told;
            asked = from.asked;
            line = from.line;
            loading = from.loading;
            losses = from.losses;
        }

        State done() {
            return new State(
                    written,
                    read,
                    at,
                    logged,
                    counted,
                    keeps,
                    received,
                    news,
                    position,
                    List.copyOf(onItsWay),
                    follows,
                    kept,
                    joins,
                    own,
                    told,
                    asked,
                    line,
                    loading,
                    losses);
        }
    }
}
