package org.keyline.planner;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;

/** Makes plans of digested statements. Thread-safe: holds nothing but its matchers. */
public final class Planner {
    private final List<StatementMatcher> matchers;

    /** A planner that asks these matchers in turn; the first that answers decides. */
    public Planner(List<StatementMatcher> matchers) {
        this.matchers = List.copyOf(matchers);
    }

    /**
     * The plan of the statement that was digested last.
     *
     * @param currentSchema the session's database; empty if none is selected
     */
    public PlannedStatement plan(Digester digested, String currentSchema, Catalog catalog) {
        return switch (digested.outcome()) {
            case DIGESTED -> {
                String text = digested.normalised();
                Shape shape = new Shape(text, Lexer.tokens(text, SqlMode.DEFAULT), digested.statements(), true);
                yield new PlannedStatement(match(shape, currentSchema, catalog), text, digested.slots());
            }
            case TOO_LONG -> {
                Shape shape = LongStatement.read(digested);
                Plan plan =
                        shape == null ? opaque(ForwardReason.TOO_LONG) : tooLong(match(shape, currentSchema, catalog));
                yield new PlannedStatement(plan, "", 0);
            }
            case MALFORMED -> new PlannedStatement(opaque(ForwardReason.MALFORMED), "", 0);
            case AMBIGUOUS -> new PlannedStatement(opaque(ForwardReason.AMBIGUOUS_TEXT), "", 0);
            case EXECUTABLE_COMMENT -> new PlannedStatement(opaque(ForwardReason.EXECUTABLE_COMMENT), "", 0);
        };
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

    /** A statement that may do anything. */
    private static Forward opaque(ForwardReason reason) {
        return new Forward(reason, StatementKind.UNKNOWN, Effect.EVERYTHING, true);
    }

    private static Forward tooLong(Plan plan) {
        return plan instanceof Forward forward
                ? new Forward(ForwardReason.TOO_LONG, forward.kind(), forward.effect(), forward.readsDiagnostics())
                : opaque(ForwardReason.TOO_LONG);
    }
}
