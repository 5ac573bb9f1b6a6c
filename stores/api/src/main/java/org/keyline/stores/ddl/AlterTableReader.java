package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.TableChange.Place;
import org.keyline.stores.ddl.TableDefinition.Flavour;

/** Parses the changes of an ALTER TABLE. */
final class AlterTableReader {

    private static final int MAX_CHANGES = 1_024;

    private final DdlCursor tokens;
    private final TableName table;
    private final List<TableChange> changes = new ArrayList<>();

    AlterTableReader(DdlCursor tokens, TableName table) {
        this.tokens = tokens;
        this.table = table;
    }

    List<TableChange> read() {
        do {
            if (changes.size() >= MAX_CHANGES) {
                throw tokens.error("at most " + MAX_CHANGES + " changes");
            }
            change();
        } while (tokens.acceptSymbol(","));
        return changes;
    }

    private void change() {
        if (tokens.accept("ADD")) {
            add();
        } else if (tokens.accept("DROP")) {
            drop();
        } else if (tokens.accept("MODIFY")) {
            modify();
        } else if (tokens.accept("CHANGE")) {
            tokens.accept("COLUMN");
            String old = tokens.name("a column name");
            changes.add(new TableChange.ModifyColumn(old, column()));
            refusePlace();
        } else if (tokens.accept("ALTER")) {
            alterColumn();
        } else if (tokens.accept("RENAME")) {
            rename();
        } else if (tokens.accept("SET")) {
            refuseStatistics(tokens.at("STATS"));
            Map<String, String> properties = new LinkedHashMap<>();
            tokens.properties(properties, MAX_CHANGES);
            changes.add(new TableChange.SetProperties(properties));
        } else if (tokens.accept("DISABLE") || tokens.accept("ENABLE")) {
            if (tokens.at("FEATURE")) {
                throw StatementRefusedException.unsupported("ALTER TABLE … ENABLE FEATURE");
            }
            // DISABLE KEYS and ENABLE KEYS affect only engines that can build indexes later, so
            // they are ignored.
            tokens.expect("KEYS");
        } else if (tokens.at("COMMENT")) {
            tokens.accept("COMMENT");
            tokens.acceptSymbol("=");
            changes.add(new TableChange.SetComment(tokens.string("a comment")));
        } else if (tokens.atTableOption()) {
            changes.add(new TableChange.SetProperties(tokens.tableOption()));
        } else if (tokens.atWord() && !tokens.atEnd()) {
            throw unsupported("");
        } else {
            throw tokens.error("a change of the table (ADD, DROP, MODIFY, RENAME, SET)");
        }
    }

    private DeclaredColumn column() {
        ColumnReader reader = new ColumnReader(tokens, flavour());
        DeclaredColumn column = reader.read();
        if (reader.primary()) {
            changes.add(new TableChange.AddPrimaryKey(List.of(column.name())));
        }
        if (reader.unique()) {
            changes.add(new TableChange.AddIndex(TableIndex.unique(column.name()), false));
        }
        return column;
    }

    /** Returns Doris's flavour if only Doris has the type at the cursor; otherwise MySQL's. */
    private Flavour flavour() {
        return tokens.dorisTypeAhead() ? Flavour.DORIS : Flavour.MYSQL;
    }

    private void add() {
        if ((tokens.at("PARTITION") && tokens.nameFollows()) || tokens.atAll("PARTITIONS", "FROM")) {
            throw StatementRefusedException.unsupported("ALTER TABLE … ADD PARTITION");
        }
        String constraint = tokens.constraintName();
        if (tokens.at("ROLLUP") || tokens.at("TEMPORARY") || tokens.at("FOREIGN") || tokens.at("CHECK")) {
            throw unsupported("ADD");
        }
        if (tokens.accept("PRIMARY")) {
            tokens.expect("KEY");
            changes.add(new TableChange.AddPrimaryKey(new IndexReader(tokens).readPrimary()));
        } else if (tokens.atIndexElement()) {
            changes.add(new TableChange.AddIndex(new IndexReader(tokens).read(constraint), false));
        } else {
            tokens.accept("COLUMN");
            boolean ifNotExists = tokens.acceptIfNotExists();
            if (tokens.acceptSymbol("(")) {
                do {
                    int at = changes.size();
                    changes.add(at, new TableChange.AddColumn(column(), Place.LAST, null, ifNotExists));
                } while (tokens.acceptSymbol(",") && changes.size() < MAX_CHANGES);
                tokens.expectSymbol(")");
                refuseRollup("ADD COLUMN");
            } else {
                addOne(ifNotExists);
            }
        }
    }

    private void addOne(boolean ifNotExists) {
        int at = changes.size();
        DeclaredColumn column = column();
        Place place = Place.LAST;
        @Nullable String after = null;
        if (tokens.accept("FIRST")) {
            place = Place.FIRST;
        } else if (tokens.accept("AFTER")) {
            place = Place.AFTER;
            after = tokens.name("a column name");
        }
        refuseRollup("ADD COLUMN");
        changes.add(at, new TableChange.AddColumn(column, place, after, ifNotExists));
    }

    private void refuseRollup(String change) {
        if (tokens.at("TO") || tokens.at("IN") || tokens.at("FROM")) {
            throw StatementRefusedException.unsupported(change + " of a rollup");
        }
        if (tokens.at("PROPERTIES")) {
            throw StatementRefusedException.unsupported(change + " with properties");
        }
    }

    private static void refuseStatistics(boolean statistics) {
        if (statistics) {
            throw StatementRefusedException.unsupported("ALTER TABLE … SET STATS");
        }
    }

    private void drop() {
        if (tokens.accept("PRIMARY")) {
            throw StatementRefusedException.unsupported("DROP PRIMARY KEY of " + table.table());
        }
        boolean part = tokens.at("PARTITION") || tokens.at("BRANCH") || tokens.at("TAG");
        if (tokens.atAll("TEMPORARY", "PARTITION") || (part && tokens.nameFollows())) {
            throw StatementRefusedException.unsupported(
                    "ALTER TABLE … DROP " + tokens.name("a change").toUpperCase(Locale.ROOT));
        }
        if (tokens.at("ROLLUP") || tokens.at("FOREIGN") || tokens.at("CONSTRAINT")) {
            throw unsupported("DROP");
        }
        if (tokens.accept("INDEX") || tokens.accept("KEY")) {
            boolean ifExists = tokens.acceptIfExists();
            changes.add(new TableChange.DropIndex(tokens.name("an index name"), ifExists));
            return;
        }
        tokens.accept("COLUMN");
        boolean ifExists = tokens.acceptIfExists();
        changes.add(new TableChange.DropColumn(tokens.name("a column name"), ifExists));
        tokens.accept("RESTRICT");
        refuseRollup("DROP COLUMN");
    }

    private void modify() {
        if (tokens.accept("COMMENT")) {
            changes.add(new TableChange.SetComment(tokens.string("a comment")));
            return;
        }
        if (tokens.at("PARTITION") || tokens.at("ENGINE") || tokens.at("DISTRIBUTION")) {
            throw unsupported("MODIFY");
        }
        if (tokens.accept("COLUMN") && tokens.nameFollows()) {
            int start = tokens.index();
            String name = tokens.name("a column name");
            refuseStatistics(tokens.atAll("SET", "STATS"));
            if (tokens.accept("COMMENT")) {
                changes.add(new TableChange.SetColumnComment(name, tokens.string("a comment")));
                return;
            }
            tokens.moveTo(start);
        }
        int at = changes.size();
        DeclaredColumn column = column();
        changes.add(at, new TableChange.ModifyColumn(column.name(), column));
        refusePlace();
        refuseRollup("MODIFY COLUMN");
    }

    private void refusePlace() {
        if (tokens.at("FIRST") || tokens.at("AFTER")) {
            throw StatementRefusedException.unsupported("moving a column");
        }
    }

    private void alterColumn() {
        tokens.accept("COLUMN");
        String column = tokens.name("a column name");
        if (tokens.accept("SET")) {
            tokens.expect("DEFAULT");
            changes.add(new TableChange.SetDefault(column, new ColumnReader(tokens, Flavour.MYSQL).defaultValue()));
        } else {
            tokens.expect("DROP");
            tokens.expect("DEFAULT");
            changes.add(new TableChange.SetDefault(column, null));
        }
    }

    private void rename() {
        if (tokens.accept("COLUMN")) {
            String from = tokens.name("a column name");
            tokens.accept("TO");
            changes.add(new TableChange.RenameColumn(from, tokens.name("a column name")));
        } else if (tokens.at("INDEX") || tokens.at("KEY") || tokens.at("ROLLUP") || tokens.at("PARTITION")) {
            throw unsupported("RENAME");
        } else {
            if (!tokens.accept("TO")) {
                tokens.accept("AS");
            }
            changes.add(new TableChange.RenameTo(tokens.tableName(table.schema())));
        }
    }

    private StatementRefusedException unsupported(String verb) {
        String change = tokens.name("a change").toUpperCase(Locale.ROOT);
        return StatementRefusedException.unsupported("ALTER TABLE … " + (verb + ' ' + change).strip());
    }
}
