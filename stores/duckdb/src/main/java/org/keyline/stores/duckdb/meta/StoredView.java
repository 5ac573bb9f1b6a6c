package org.keyline.stores.duckdb.meta;

import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlStatement.ViewAttributes;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.ViewQuery;

/**
 * A view that exists. Immutable.
 *
 * @param named whether the statement named the columns, and not the query
 * @param text of the query; names without a database are of the view's
 * @param qualified the query with a database before the names of all tables
 * @param created in UTC
 * @param columns as its tables are now; null where it no longer fits them
 */
public record StoredView(
        TableName name,
        List<String> labels,
        boolean named,
        String text,
        String qualified,
        ViewAttributes attributes,
        LocalDateTime created,
        @Nullable List<DeclaredColumn> columns,
        Relation relation) {
    /** What clients are told of the collation that made it; it has no effect, and every server knows it. */
    public static final String COLLATION = "utf8mb4_general_ci";

    public StoredView {
        labels = List.copyOf(labels);
        columns = columns == null ? null : List.copyOf(columns);
    }

    static StoredView of(
            TableName name,
            List<String> labels,
            boolean named,
            String text,
            String qualified,
            ViewAttributes attributes,
            LocalDateTime created) {
        Relation relation = Relation.view(new ViewQuery(name, labels, StatementText.of(text, SqlMode.DEFAULT)));
        return new StoredView(name, labels, named, text, qualified, attributes, created, null, relation);
    }

    StoredView renamed(TableName other) {
        return of(other, labels, named, text, qualified, attributes, created).with(columns);
    }

    StoredView with(@Nullable List<DeclaredColumn> now) {
        return new StoredView(name, labels, named, text, qualified, attributes, created, now, relation);
    }

    /** The statement that makes the view, in the words that mysqldump looks for. */
    public String create() {
        String list = labels.stream().map(SqlText::name).collect(Collectors.joining(",", " (", ")"));
        String check = attributes.check();
        return "CREATE ALGORITHM=" + attributes.algorithm() + " DEFINER=" + attributes.definer() + " SQL SECURITY "
                + attributes.security() + " VIEW " + SqlText.name(name.table()) + (named ? list : "") + " AS " + text
                + (check.equals("NONE") ? "" : " WITH " + check + " CHECK OPTION");
    }
}
