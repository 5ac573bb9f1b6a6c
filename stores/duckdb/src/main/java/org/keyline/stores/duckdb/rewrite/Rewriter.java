package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.DorisClauses;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Relations;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Translated;
import org.keyline.stores.duckdb.translate.TranslationContext;
import org.keyline.stores.duckdb.translate.ViewQuery;

/** Rewrites SELECT, INSERT, REPLACE, UPDATE and DELETE. Immutable; thread-safe if {@code relations} is. */
public final class Rewriter {

    private final Relations relations;

    /** @param relations tables and views, by name */
    public Rewriter(Relations relations) {
        this.relations = relations;
    }

    /**
     * Rewrites one statement.
     *
     * @param text placeholders may have values, whose kinds then decide comparisons, or not, as at PREPARE
     * @throws StatementRefusedException the statement cannot be read or rewritten, or names what does not exist
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
            throw DorisClauses.named(e, text);
        } catch (StackOverflowError e) {
            throw Rewriting.tooDeep();
        }
    }

    /**
     * Reads a query that becomes a view.
     *
     * @param schema of the view
     * @throws StatementRefusedException as {@link #translate} does, and 1351 for a variable or a placeholder
     */
    public ViewQuery.Read view(StatementText text, TranslationContext context, String schema) {
        if (text.placeholders() > 0) {
            throw Rewriting.viewVariable();
        }
        TextEdits edits = new TextEdits();
        TranslationContext own =
                new TranslationContext(context.schema(), context.mode(), context.foundRows(), Rewriting.NO_VARIABLES);
        try {
            Translated query = select(new Tokens(text), new Rewriting(text, own, relations, edits));
            return edits.read(text, query.columns(), schema);
        } catch (StatementRefusedException e) {
            throw DorisClauses.named(e, text);
        } catch (StackOverflowError e) {
            throw Rewriting.tooDeep();
        }
    }

    private static Translated select(Tokens tokens, Rewriting rewriting) {
        Queries.Result result = whole(tokens, rewriting);
        List<OutputColumn> columns = result.columns().stream()
                .map(column -> new OutputColumn(column.name(), column.type(), column.nullable(), column.origin()))
                .toList();
        return new Translated(
                Translated.Kind.SELECT,
                List.of(result.sql().step(Step.Role.RESULT, rewriting.maxText())),
                columns,
                null,
                -1,
                rewriting.reads(),
                rewriting.pinned(),
                rewriting.reusable(),
                null);
    }

    /** A query that is a whole statement. */
    private static Queries.Result whole(Tokens tokens, Rewriting rewriting) {
        Queries.Result result = new Queries(rewriting, tokens).query(null);
        tokens.expectEnd();
        return result;
    }

    /** The rows of a view, with its own names for their columns. 1356 where it no longer fits its tables. */
    static Queries.Result view(ViewQuery view, String alias, Rewriting rewriting) {
        Queries.Result query = rewriting.inView(view, () -> rewritten(view, rewriting));
        List<Source.Column> columns = new ArrayList<>();
        for (Source.Column column : From.renamed(query.columns(), view.columns())) {
            OutputColumn.Origin origin = column.origin();
            columns.add(new Source.Column(
                    column.name(),
                    column.type(),
                    column.nullable(),
                    origin == null ? null : new OutputColumn.Origin(origin.relation(), alias, origin.column())));
        }
        return new Queries.Result(query.sql(), columns, false);
    }

    private static Queries.Result rewritten(ViewQuery view, Rewriting rewriting) {
        try {
            Queries.Result result = whole(new Tokens(view.text()), rewriting);
            if (result.columns().size() != view.columns().size()) {
                throw view.invalid();
            }
            return result;
        } catch (StatementRefusedException e) {
            throw isOfTheStatement(e) ? e : view.invalid();
        }
    }

    /** Whether an error is about how much a statement is, or about views in a circle. */
    private static boolean isOfTheStatement(StatementRefusedException e) {
        return e.code() == 1436 || e.code() == 1116 || e.code() == 1462 || e.code() == 1356;
    }
}
