package org.keyline.planner;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.ExecutableComments;
import org.keyline.planner.digest.Outcome;
import org.keyline.planner.digest.Shape;

/** Creates plans of digested statements. Thread-safe; its only state is the list of matchers. */
public final class Planner {
    private final List<StatementMatcher> matchers;

    /** Creates a planner that asks the matchers in this order and uses the first plan. */
    public Planner(List<StatementMatcher> matchers) {
        this.matchers = List.copyOf(matchers);
    }

    /**
     * Plans the digester's last statement.
     *
     * @param currentSchema the session's database; empty if none is selected
     */
    public PlannedStatement plan(Digester digested, String currentSchema, Catalog catalog) {
        Shape shape = Shape.of(digested);
        if (shape == null && digested.outcome() == Outcome.EXECUTABLE_COMMENT) {
            return new PlannedStatement(eitherWay(digested, currentSchema, catalog), "", 0);
        }
        if (shape == null) {
            return new PlannedStatement(opaque(reason(digested.outcome())), "", 0);
        }
        if (digested.outcome() != Outcome.DIGESTED) {
            return new PlannedStatement(tooLong(match(shape, currentSchema, catalog)), "", 0);
        }
        int slots = digested.slots();
        for (StatementMatcher matcher : matchers) {
            @Nullable Plan plan = matcher.match(shape, currentSchema, catalog);
            if (plan != null) {
                EqualEnds ends = matcher.equalEnds(shape, slots, currentSchema, catalog);
                return new PlannedStatement(plan, shape.text(), slots, ends);
            }
        }
        return new PlannedStatement(opaque(ForwardReason.UNPARSED), shape.text(), slots);
    }

    /** Returns a forward with the effect of the plan, for a text too long to digest. */
    private static Forward tooLong(Plan plan) {
        return plan instanceof Forward forward
                ? new Forward(ForwardReason.TOO_LONG, forward.kind(), forward.effect(), forward.readsDiagnostics())
                : opaque(ForwardReason.TOO_LONG);
    }

    private Plan match(Shape shape, String currentSchema, Catalog catalog) {
        for (StatementMatcher matcher : matchers) {
            @Nullable Plan plan = matcher.match(shape, currentSchema, catalog);
            if (plan != null) {
                return plan;
            }
        }
        return opaque(ForwardReason.UNPARSED);
    }

    /**
     * Plans a statement with executable comments, each of which the store may run or ignore. The
     * effect is everything unless all texts that the store may read are statements of the same kind
     * on rows.
     */
    private Forward eitherWay(Digester digested, String currentSchema, Catalog catalog) {
        Forward both = null;
        for (byte[] text : ExecutableComments.readings(digested)) {
            Digester reading = digested.withSameSettings();
            reading.digest(text, 0, text.length, digested.mode());
            Shape shape = reading.outcome() == Outcome.DIGESTED ? Shape.of(reading) : null;
            Forward next = shape == null ? null : forwarded(match(shape, currentSchema, catalog));
            if (next == null || !next.kind().isOfRows() || (both != null && both.kind() != next.kind())) {
                return opaque(ForwardReason.EXECUTABLE_COMMENT);
            }
            both = both == null
                    ? next
                    : new Forward(
                            next.reason(),
                            next.kind(),
                            Effect.union(both.effect(), next.effect()),
                            both.readsDiagnostics() || next.readsDiagnostics());
        }
        return both == null ? opaque(ForwardReason.EXECUTABLE_COMMENT) : both;
    }

    /**
     * Returns a forward with an effect on whole tables. The statement has an executable comment, so
     * the store may read a different statement than Keyline did.
     */
    private static Forward forwarded(Plan plan) {
        ForwardReason reason = ForwardReason.EXECUTABLE_COMMENT;
        return plan instanceof Forward forward
                ? new Forward(reason, forward.kind(), Effect.tables(forward.effect()), forward.readsDiagnostics())
                : new Forward(reason, StatementKind.SELECT, Effect.NONE, false);
    }

    private static Forward opaque(ForwardReason reason) {
        return new Forward(reason, StatementKind.UNKNOWN, Effect.EVERYTHING, true);
    }

    private static ForwardReason reason(Outcome outcome) {
        return switch (outcome) {
            case DIGESTED -> ForwardReason.UNPARSED;
            case TOO_LONG -> ForwardReason.TOO_LONG;
            case MALFORMED -> ForwardReason.MALFORMED;
            case AMBIGUOUS -> ForwardReason.AMBIGUOUS_TEXT;
            case EXECUTABLE_COMMENT -> ForwardReason.EXECUTABLE_COMMENT;
        };
    }
}
