package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlStatement.AlterTable;
import org.keyline.stores.ddl.DdlStatement.CreateDatabase;
import org.keyline.stores.ddl.DdlStatement.CreateTable;
import org.keyline.stores.ddl.DdlStatement.CreateTableLike;
import org.keyline.stores.ddl.DdlStatement.DropDatabase;
import org.keyline.stores.ddl.DdlStatement.DropTable;
import org.keyline.stores.ddl.DdlStatement.RenameTable;
import org.keyline.stores.ddl.DdlStatement.Renaming;
import org.keyline.stores.ddl.DdlStatement.TruncateTable;
import org.keyline.stores.ddl.TableDefinition.Flavour;

/**
 * Parses data definition statements of Doris and MySQL, and the output of their SHOW CREATE TABLE.
 * Immutable.
 *
 * <p>Every failure is a {@link StatementRefusedException}. Error 1064 names the unexpected token
 * and the expected syntax. Error 1235 names an unsupported feature.
 */
public final class DdlReader {

    private static final int MAX_TABLES = 1_024;

    private final SqlMode mode;
    private final boolean honoursAll;

    /** @param mode the rules for quoted text */
    public DdlReader(SqlMode mode) {
        this(mode, true);
    }

    /**
     * Creates a reader for a store.
     *
     * @param honoursAll whether the store supports all of MySQL's declarations; false for the
     * embedded store, which refuses the unsupported ones
     */
    public DdlReader(SqlMode mode, boolean honoursAll) {
        this.mode = mode;
        this.honoursAll = honoursAll;
    }

    /** Returns whether this reader parses the statement, judged by its first words. */
    public boolean reads(String sql) {
        DdlCursor tokens = new DdlCursor(sql, "", mode);
        boolean drop = tokens.at("DROP");
        if (tokens.accept("CREATE") || tokens.accept("DROP")) {
            tokens.accept("OR");
            tokens.accept("REPLACE");
            tokens.accept("TEMPORARY");
            tokens.accept("EXTERNAL");
            return tokens.at("TABLE")
                    || (drop && tokens.at("TABLES"))
                    || tokens.at("DATABASE")
                    || tokens.at("SCHEMA")
                    || tokens.at("INDEX")
                    || tokens.at("UNIQUE")
                    || tokens.at("FULLTEXT")
                    || tokens.at("SPATIAL");
        }
        if (tokens.accept("ALTER") || tokens.accept("RENAME")) {
            return tokens.at("TABLE");
        }
        return tokens.at("TRUNCATE");
    }

    /** Parses a statement. If {@code schema} is empty, an unqualified name is error 1046. */
    public DdlStatement read(String sql, String schema) {
        DdlCursor tokens = new DdlCursor(sql, schema, mode);
        if (!honoursAll) {
            tokens.refuseUnhonoured();
        }
        DdlStatement statement = statement(tokens);
        tokens.acceptSymbol(";");
        if (!tokens.atEnd()) {
            throw tokens.error("the end of the statement");
        }
        return statement;
    }

    /** Parses a type that a store printed. Returns {@link ColumnType.Kind#OTHER} if unknown. */
    public ColumnType printedType(String text) {
        try {
            DdlCursor tokens = new DdlCursor(text, "", mode);
            ColumnType type = new TypeReader(tokens, Flavour.DORIS, true).read().type();
            return tokens.atEnd() ? type : ColumnType.of(ColumnType.Kind.OTHER);
        } catch (StatementRefusedException newer) {
            return ColumnType.of(ColumnType.Kind.OTHER);
        }
    }

    private static DdlStatement statement(DdlCursor tokens) {
        if (tokens.accept("CREATE")) {
            return create(tokens);
        }
        if (tokens.accept("ALTER")) {
            tokens.accept("IGNORE");
            tokens.expect("TABLE");
            TableName name = tokens.tableName();
            return new AlterTable(name, new AlterTableReader(tokens, name).read());
        }
        if (tokens.accept("DROP")) {
            return drop(tokens);
        }
        if (tokens.accept("TRUNCATE")) {
            tokens.accept("TABLE");
            TableName name = tokens.tableName();
            if (tokens.at("PARTITION") || tokens.at("PARTITIONS")) {
                throw StatementRefusedException.unsupported("TRUNCATE of a partition");
            }
            tokens.accept("FORCE");
            return new TruncateTable(name);
        }
        tokens.expect("RENAME");
        tokens.expect("TABLE");
        return rename(tokens);
    }

    private static DdlStatement create(DdlCursor tokens) {
        if (tokens.at("TEMPORARY") || tokens.at("EXTERNAL") || tokens.at("OR")) {
            throw StatementRefusedException.unsupported("CREATE " + tokens.name("a kind of table") + " TABLE");
        }
        if (tokens.accept("DATABASE") || tokens.accept("SCHEMA")) {
            boolean ifNotExists = tokens.acceptIfNotExists();
            String name = tokens.databaseName();
            return new CreateDatabase(name, ifNotExists, databaseOptions(tokens));
        }
        if (tokens.at("INDEX") || tokens.at("UNIQUE") || tokens.at("FULLTEXT") || tokens.at("SPATIAL")) {
            return createIndex(tokens);
        }
        tokens.expect("TABLE");
        boolean ifNotExists = tokens.acceptIfNotExists();
        TableName name = tokens.tableName();
        tokens.refuseQuery();
        if (tokens.accept("LIKE")) {
            return like(tokens, name, ifNotExists);
        }
        if (tokens.atLikeInParentheses()) {
            tokens.expectSymbol("(");
            tokens.expect("LIKE");
            CreateTableLike like = like(tokens, name, ifNotExists);
            tokens.expectSymbol(")");
            return like;
        }
        if (!tokens.atSymbol("(")) {
            throw tokens.error("'(' and the columns of the table");
        }
        return new CreateTable(new CreateTableReader(tokens, name).read(), ifNotExists);
    }

    private static CreateTableLike like(DdlCursor tokens, TableName name, boolean ifNotExists) {
        TableName source = tokens.tableName();
        if (tokens.at("WITH")) {
            throw StatementRefusedException.unsupported("WITH ROLLUP");
        }
        return new CreateTableLike(name, source, ifNotExists);
    }

    private static DdlStatement createIndex(DdlCursor tokens) {
        if (tokens.at("SPATIAL")) {
            throw StatementRefusedException.unsupported("SPATIAL INDEX");
        }
        boolean unique = tokens.accept("UNIQUE");
        boolean fulltext = tokens.accept("FULLTEXT");
        tokens.expect("INDEX");
        boolean ifNotExists = tokens.acceptIfNotExists();
        String index = tokens.name("an index name");
        if (tokens.accept("USING")) {
            tokens.name("an index type");
        }
        tokens.expect("ON");
        TableName table = tokens.tableName();
        TableIndex body = new IndexReader(tokens).body(index, unique, fulltext);
        return new AlterTable(table, List.of(new TableChange.AddIndex(body, ifNotExists)));
    }

    private static DdlStatement drop(DdlCursor tokens) {
        if (tokens.accept("DATABASE") || tokens.accept("SCHEMA")) {
            boolean ifExists = tokens.acceptIfExists();
            String name = tokens.databaseName();
            tokens.accept("FORCE");
            return new DropDatabase(name, ifExists);
        }
        if (tokens.accept("INDEX")) {
            boolean ifExists = tokens.acceptIfExists();
            String index = tokens.name("an index name");
            tokens.expect("ON");
            return new AlterTable(tokens.tableName(), List.of(new TableChange.DropIndex(index, ifExists)));
        }
        tokens.accept("TEMPORARY");
        if (!tokens.accept("TABLES")) {
            tokens.expect("TABLE");
        }
        boolean ifExists = tokens.acceptIfExists();
        return new DropTable(dropped(tokens), ifExists);
    }

    private static List<TableName> dropped(DdlCursor tokens) {
        List<TableName> names = new ArrayList<>();
        do {
            if (names.size() == MAX_TABLES) {
                throw tokens.error("at most " + MAX_TABLES + " tables");
            }
            names.add(tokens.tableName());
        } while (tokens.acceptSymbol(","));
        if (!tokens.accept("FORCE") && !tokens.accept("RESTRICT")) {
            tokens.accept("CASCADE");
        }
        return names;
    }

    private static DdlStatement rename(DdlCursor tokens) {
        List<Renaming> renamings = new ArrayList<>();
        do {
            TableName from = tokens.tableName();
            tokens.expect("TO");
            renamings.add(new Renaming(from, tokens.tableName()));
        } while (tokens.acceptSymbol(",") && renamings.size() < MAX_TABLES);
        return new RenameTable(renamings);
    }

    private static Map<String, String> databaseOptions(DdlCursor tokens) {
        Map<String, String> options = new LinkedHashMap<>();
        while (!tokens.atEnd() && !tokens.atSymbol(";") && options.size() < 64) {
            if (tokens.accept("PROPERTIES")) {
                tokens.properties(options, 64);
            } else {
                options.putAll(tokens.tableOption());
            }
        }
        return options;
    }
}
