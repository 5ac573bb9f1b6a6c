package org.keyline.stores.duckdb.calcite;

import java.util.List;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.DorisClauses;
import org.keyline.stores.duckdb.translate.FormReader;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.ParserText;
import org.keyline.stores.duckdb.translate.Relations;
import org.keyline.stores.duckdb.translate.StatementForm;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.TextEdits;
import org.keyline.stores.duckdb.translate.Translated;
import org.keyline.stores.duckdb.translate.TranslationContext;
import org.keyline.stores.duckdb.translate.ViewQuery;

/** Translates SELECT, INSERT, REPLACE, UPDATE and DELETE. Immutable; thread-safe if {@code relations} is. */
public final class Translator {

    private final Relations relations;

    /** @param relations tables and views, by name */
    public Translator(Relations relations) {
        this.relations = relations;
    }

    /**
     * Translates one statement.
     *
     * @param text placeholders may have values, whose kinds then decide comparisons, or not, as at PREPARE
     * @throws StatementRefusedException the statement cannot be read or translated, or names what does not exist
     */
    public Translated translate(StatementText text, TranslationContext context) {
        try {
            Translation translation = new Translation(text, context, relations);
            StatementForm form = FormReader.read(text);
            if (form instanceof StatementForm.Query query) {
                return select(query.text(), translation);
            }
            if (form instanceof StatementForm.Insert insert) {
                return new InsertTranslator(translation, insert).translate();
            }
            if (form instanceof StatementForm.Update update) {
                return new UpdateTranslator(translation).update(update);
            }
            return new UpdateTranslator(translation).delete((StatementForm.Delete) form);
        } catch (StatementRefusedException e) {
            throw DorisClauses.named(e, text);
        } catch (StackOverflowError e) {
            throw QueryParser.tooDeep();
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
            throw new StatementRefusedException(1351, "HY000", "View's SELECT contains a variable or parameter");
        }
        TextEdits edits = new TextEdits();
        TranslationContext own = new TranslationContext(
                context.schema(), context.mode(), context.foundRows(), ViewTranslator.NO_VARIABLES);
        try {
            Translation translation = new Translation(text, own, relations, edits);
            Translated query = select(ViewTranslator.query(FormReader.read(text)), translation);
            return edits.read(text, query.columns(), schema);
        } catch (StatementRefusedException e) {
            throw DorisClauses.named(e, text);
        } catch (StackOverflowError e) {
            throw QueryParser.tooDeep();
        }
    }

    private static Translated select(ParserText query, Translation translation) {
        translation.pin(query);
        QueryTranslator.Result result =
                new QueryTranslator(translation).translate(QueryParser.parse(query, translation.text()), query, null);
        List<OutputColumn> columns = result.columns().stream()
                .map(column -> new OutputColumn(column.name(), column.type(), column.nullable(), column.origin()))
                .toList();
        Step step = StepPrinter.step(translation, result.node(), Step.Role.RESULT);
        return new Translated(
                Translated.Kind.SELECT,
                List.of(step),
                columns,
                null,
                -1,
                translation.reads(),
                translation.pinned(),
                translation.reusable());
    }
}
