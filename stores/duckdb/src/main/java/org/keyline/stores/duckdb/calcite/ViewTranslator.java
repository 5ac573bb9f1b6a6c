package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.FormReader;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.ParserText;
import org.keyline.stores.duckdb.translate.StatementForm;
import org.keyline.stores.duckdb.translate.TranslationContext;
import org.keyline.stores.duckdb.translate.ViewQuery;

/** Views that clients made: a view is the subquery that it names. */
final class ViewTranslator {

    /** A view has no variables, whose values would be those of its reader. */
    static final TranslationContext.Variables NO_VARIABLES = (source, name) -> {
        throw new StatementRefusedException(1351, "HY000", "View's SELECT contains a variable or parameter");
    };

    private ViewTranslator() {}

    /** The rows of a view, with its own names for their columns. 1356 where it no longer fits its tables. */
    static QueryTranslator.Result of(ViewQuery view, String alias, Translation translation) {
        QueryTranslator.Result query = translation.inView(view, () -> translated(view, translation));
        List<Source.Column> columns = new ArrayList<>();
        for (Source.Column column : FromTranslator.renamed(query.columns(), view.columns())) {
            OutputColumn.Origin origin = column.origin();
            columns.add(new Source.Column(
                    column.name(),
                    column.type(),
                    column.nullable(),
                    origin == null ? null : new OutputColumn.Origin(origin.relation(), alias, origin.column())));
        }
        return new QueryTranslator.Result(query.node(), columns);
    }

    private static QueryTranslator.Result translated(ViewQuery view, Translation translation) {
        try {
            ParserText query = query(FormReader.read(view.text()));
            QueryTranslator.Result result =
                    new QueryTranslator(translation).translate(QueryParser.parse(query, view.text()), query, null);
            if (result.columns().size() != view.columns().size()) {
                throw view.invalid();
            }
            return result;
        } catch (StatementRefusedException e) {
            throw isOfTheStatement(e) ? e : view.invalid();
        }
    }

    /** The query of a form that must be one. */
    static ParserText query(StatementForm form) {
        if (form instanceof StatementForm.Query query) {
            return query.text();
        }
        throw StatementRefusedException.syntax("You have an error in your SQL syntax: a view is a query");
    }

    /** Whether an error is about how much a statement is, or about views in a circle. */
    private static boolean isOfTheStatement(StatementRefusedException e) {
        return e.code() == 1436 || e.code() == 1116 || e.code() == 1462 || e.code() == 1356;
    }
}
