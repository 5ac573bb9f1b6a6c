package org.keyline.stores.duckdb.translate;

import java.util.List;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;

/**
 * What a view reads.
 *
 * @param name of the view; names in the query that have no database are of this one's
 * @param columns names of its columns, one for each of the query
 * @param text of the query, without stars
 */
public record ViewQuery(TableName name, List<String> columns, StatementText text) {
    public ViewQuery {
        columns = List.copyOf(columns);
    }

    /** 1356: the view no longer fits its tables. */
    public StatementRefusedException invalid() {
        return new StatementRefusedException(
                1356,
                "HY000",
                "View '" + name + "' references invalid table(s) or column(s) or function(s) or definer/invoker of view"
                        + " lack rights to use them");
    }

    /**
     * A query that becomes a view.
     *
     * @param columns of its result
     * @param text with the columns that stars stand for, and a database before the names of tables of other databases than the view's
     * @param qualified the same with a database before the names of all tables
     */
    public record Read(List<OutputColumn> columns, String text, String qualified) {
        public Read {
            columns = List.copyOf(columns);
        }
    }
}
