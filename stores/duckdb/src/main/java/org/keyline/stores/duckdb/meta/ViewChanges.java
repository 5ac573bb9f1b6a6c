package org.keyline.stores.duckdb.meta;

import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlStatement.CreateView;
import org.keyline.stores.ddl.DdlStatement.CreateView.Existing;
import org.keyline.stores.ddl.DdlStatement.DropView;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.rewrite.Rewriter;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.TranslationContext;
import org.keyline.stores.duckdb.translate.ViewQuery;

/**
 * Views as the data definition statements of one transaction change them. A view keeps the text of its query; what its columns are
 * follows from that and from its tables, and is found anew after every change of any definition.
 */
final class ViewChanges {
    private final EngineConnection connection;
    private final TranslationContext context;
    private final List<StatementRefusedException> notes;

    /** @param notes takes those of IF EXISTS and IF NOT EXISTS */
    ViewChanges(EngineConnection connection, TranslationContext context, List<StatementRefusedException> notes) {
        this.connection = connection;
        this.context = context;
        this.notes = notes;
    }

    /** @param name of the view, in its database as that is spelled */
    CatalogSnapshot create(CreateView create, TableName name, CatalogSnapshot snapshot, LocalDateTime now)
            throws SQLException {
        StoredView before = snapshot.view(name);
        boolean occupied = before != null || snapshot.table(name) != null;
        if (occupied && (create.existing() == Existing.FAIL || create.existing() == Existing.KEEP)) {
            StatementRefusedException exists =
                    Errors.error(1050, "42S01", "Table '" + name.table() + "' already exists");
            if (create.existing() == Existing.FAIL) {
                throw exists;
            }
            notes.add(exists);
            return snapshot;
        }
        if (occupied && before == null) {
            throw noView(name);
        }
        if (before == null && create.existing() == Existing.ALTER) {
            throw Errors.error(1146, "42S02", "Table '" + name + "' doesn't exist");
        }
        StoredView view = read(create, name, snapshot, now);
        CatalogSnapshot after = before == null ? snapshot : forget(before, snapshot);
        return add(view, after, true);
    }

    private StoredView read(CreateView create, TableName name, CatalogSnapshot snapshot, LocalDateTime now) {
        if (!context.mode().equals(SqlMode.DEFAULT)) {
            throw StatementRefusedException.unsupported(
                    "views in a sql_mode that reads text otherwise (ANSI_QUOTES, PIPES_AS_CONCAT, NO_BACKSLASH_ESCAPES, …)");
        }
        ViewQuery.Read query =
                new Rewriter(snapshot).view(StatementText.of(create.query(), SqlMode.DEFAULT), context, name.schema());
        List<String> labels = new ArrayList<>(create.columns());
        if (labels.isEmpty()) {
            query.columns().forEach(column -> labels.add(column.label()));
        } else if (labels.size() != query.columns().size()) {
            throw Errors.error(1353, "HY000", "View's SELECT and view's field list have different column counts");
        }
        Set<String> seen = new HashSet<>();
        for (String label : labels) {
            if (!seen.add(label.toLowerCase(Locale.ROOT))) {
                throw Errors.error(1060, "42S21", "Duplicate column name '" + label + "'");
            }
        }
        return StoredView.of(
                name, labels, !create.columns().isEmpty(), query.text(), query.qualified(), create.attributes(), now);
    }

    /** What a DROP names that is not there: an error, or with IF EXISTS a note. */
    void tellUnknown(List<String> names, boolean ifExists) {
        if (names.isEmpty()) {
            return;
        }
        StatementRefusedException error =
                Errors.error(1051, "42S02", "Unknown table '" + String.join(",", names) + "'");
        if (!ifExists) {
            throw error;
        }
        notes.add(error);
    }

    CatalogSnapshot drop(DropView drop, CatalogSnapshot before) throws SQLException {
        List<String> unknown = new ArrayList<>();
        for (TableName name : drop.names()) {
            if (before.table(name) != null) {
                throw noView(name);
            }
            if (before.view(name) == null) {
                unknown.add(name.toString());
            }
        }
        tellUnknown(unknown, drop.ifExists());
        CatalogSnapshot snapshot = before;
        for (TableName name : drop.names()) {
            StoredView view = snapshot.view(name);
            if (view != null) {
                snapshot = forget(view, snapshot);
            }
        }
        return snapshot;
    }

    /** RENAME TABLE of a view. */
    CatalogSnapshot rename(StoredView view, TableName to, CatalogSnapshot snapshot) throws SQLException {
        if (!view.name().schema().equalsIgnoreCase(to.schema())) {
            throw Errors.error(
                    1450,
                    "HY000",
                    "Changing schema from '" + view.name().schema() + "' to '" + to.schema() + "' is not allowed.");
        }
        TableName name = new TableName(view.name().schema(), to.table());
        StoredView occupant = snapshot.view(name);
        if (snapshot.table(name) != null || (occupant != null && !occupant.equals(view))) {
            throw Errors.error(1050, "42S01", "Table '" + name.table() + "' already exists");
        }
        return add(view.renamed(name), forget(view, snapshot), false);
    }

    private CatalogSnapshot add(StoredView view, CatalogSnapshot snapshot, boolean mustFit) throws SQLException {
        Definitions.save(connection, view);
        CatalogSnapshot with = snapshot.with(view);
        StoredView described = view.with(columns(view.name(), with, mustFit));
        InformationSchema.add(connection, described);
        return with.with(described);
    }

    private CatalogSnapshot forget(StoredView view, CatalogSnapshot snapshot) throws SQLException {
        Definitions.removeView(connection, view.name());
        InformationSchema.remove(connection, view.name());
        return snapshot.withoutView(view.name());
    }

    /** After a change of any definition: what the columns of all views are now. */
    CatalogSnapshot refresh(CatalogSnapshot before) throws SQLException {
        CatalogSnapshot snapshot = before;
        for (StoredView view : before.allViews()) {
            List<DeclaredColumn> columns = columns(view.name(), before, false);
            if (columns == null ? view.columns() != null : !columns.equals(view.columns())) {
                StoredView described = view.with(columns);
                InformationSchema.remove(connection, view.name());
                InformationSchema.add(connection, described);
                snapshot = snapshot.with(described);
            }
        }
        return snapshot;
    }

    private @Nullable List<DeclaredColumn> columns(TableName name, CatalogSnapshot snapshot, boolean mustFit) {
        String all = "SELECT * FROM " + SqlText.name(name.schema()) + "." + SqlText.name(name.table());
        try {
            List<OutputColumn> columns = new Rewriter(snapshot)
                    .translate(StatementText.of(all, SqlMode.DEFAULT), context)
                    .columns();
            return QueryColumns.declared(columns);
        } catch (StatementRefusedException e) {
            if (mustFit) {
                throw e;
            }
            // It stays, and answers 1356 until its tables are there again.
            return null;
        }
    }

    private static StatementRefusedException noView(TableName name) {
        return Errors.error(1347, "HY000", "'" + name + "' is not of type 'VIEW'");
    }
}
