package org.keyline.gateway.session.state;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.Plan;
import org.keyline.planner.StatementKind;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.Outcome;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.Store;
import org.keyline.stores.StoreTrait;

/** Plans statements that the store may read differently than Keyline. */
public final class DoubtfulText {
    private DoubtfulText() {}

    /**
     * Returns a plan with the effects that a statement may have under any sql_mode and current
     * schema that the session may have.
     *
     * @param otherwise the result if the effects are unknown
     */
    public static Forward read(SessionState state, byte[] text, Forward otherwise) {
        SessionSettings settings = state.settings();
        Store store = state.context().store();
        Digester digester = new Digester(store.harmlessVariables(), store.has(StoreTrait.DASHES_ARE_SIGNS));
        // Without a current schema, an unqualified name may be any table.
        String schema = settings.schemaKnown() ? state.schemaOrNone() : "";
        Forward all = null;
        for (SqlMode mode : settings.variables().readingKnown()
                ? List.of(settings.variables().sqlMode())
                : modes(settings.variables().sqlMode())) {
            Outcome outcome = digester.digest(text, 0, text.length, mode);
            if (outcome == Outcome.MALFORMED) {
                // The store may already have run the statements before the malformed one.
                int end = statementsEnd(text, mode);
                outcome = end == 0 ? Outcome.MALFORMED : digester.digest(text, 0, end, mode);
                if (end == 0) {
                    continue;
                }
            }
            if (outcome != Outcome.DIGESTED && outcome != Outcome.TOO_LONG) {
                return otherwise;
            }
            all = union(all, state.parts().plans().plan(digester, schema).plan());
        }
        return all == null ? otherwise : all;
    }

    private static List<SqlMode> modes(SqlMode known) {
        return Stream.of(false, true)
                .flatMap(quotes -> Stream.of(false, true)
                        .map(backslashes -> new SqlMode(quotes, backslashes, known.pipesAsConcat())))
                .toList();
    }

    /** Returns the index after the last semicolon before any invalid token; 0 if none exists. */
    private static int statementsEnd(byte[] text, SqlMode mode) {
        Lexer lexer = new Lexer();
        lexer.reset(text, 0, text.length, mode);
        int end = 0;
        TokenType type = lexer.next();
        while (type != TokenType.END && type != TokenType.ERROR) {
            end = type == TokenType.SEMICOLON ? lexer.end() : end;
            type = lexer.next();
        }
        return end;
    }

    /**
     * Returns a plan with the effects of both plans. Each effect is on a whole table, because the
     * meaning of values is doubtful as well.
     */
    private static Forward union(@Nullable Forward before, Plan plan) {
        Forward next = plan instanceof Forward forward
                ? forward
                : new Forward(ForwardReason.UNCERTAIN, StatementKind.SELECT, Effect.NONE, false);
        Effect effect = Effect.tables(next.effect());
        return before == null
                ? new Forward(ForwardReason.UNCERTAIN, next.kind(), effect, next.readsDiagnostics())
                : new Forward(
                        ForwardReason.UNCERTAIN,
                        before.kind() == next.kind() ? next.kind() : StatementKind.UNKNOWN,
                        Effect.union(before.effect(), effect),
                        before.readsDiagnostics() || next.readsDiagnostics());
    }
}
