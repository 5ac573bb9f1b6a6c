package org.keyline.stores.duckdb.rewrite;

import java.util.List;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.RefusedClauses;
import org.keyline.stores.duckdb.translate.Relations;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Tokens;
import org.keyline.stores.duckdb.translate.Translated;
import org.keyline.stores.duckdb.translate.TranslationContext;

/**
 * Rewrites SELECT, INSERT, REPLACE, UPDATE and DELETE for DuckDB. Immutable; thread-safe if {@code
 * relations} is.
 */
public final class Rewriter {

    private final Relations relations;

    public Rewriter(Relations relations) {
        this.relations = relations;
    }

    /**
     * Rewrites one statement.
     *
     * @param text the statement; the values of its placeholders, if known, affect comparisons
     * @throws StatementRefusedException if the statement is invalid, is not supported, or names
     *     something that does not exist
     */
    public Translated translate(StatementText text, TranslationContext context) {
        try {
            Rewriting rewriting = new Rewriting(text, context, relations);
            Tokens tokens = new Tokens(text);
            if (tokens.take("INSERT")) {
                return new Insert(rewriting, tokens, false).rewrite();
            }
            if (tokens.take("REPLACE")) {
                return new Insert(rewriting, tokens, true).rewrite();
            }
            if (tokens.take("UPDATE")) {
                return new Update(rewriting, tokens).update();
            }
            if (tokens.take("DELETE")) {
                return new Update(rewriting, tokens).delete();
            }
            return select(tokens, rewriting);
        } catch (StatementRefusedException e) {
            throw RefusedClauses.named(e, text);
        } catch (StackOverflowError e) {
            throw Rewriting.tooDeep();
        }
    }

    private static Translated select(Tokens tokens, Rewriting rewriting) {
        Queries.Result result = new Queries(rewriting, tokens).query(null);
        boolean simple = tokens.at(0).is("SELECT") && tokens.find(0, "UNION") < 0;
        boolean locks = simple && tokens.takeAll("FOR", "UPDATE");
        tokens.expectEnd();
        Step step = result.sql().step(Step.Role.RESULT, rewriting.maxText());
        Translated.Kind kind = locks ? Translated.Kind.SELECT_FOR_UPDATE : Translated.Kind.SELECT;
        return rewriting.translated(kind, List.of(step), result.columns(), null, -1);
    }
}
