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
 * <p>Every failure is a {@link StatementRefusedException}. Error 1064 names the token found and the
 * expected syntax, error 1235 a recognised but unsupported feature.
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
     * @param honoursAll whether the store supports all of MySQL's declarations; the embedded
     * store's errors name unsupported declarations
     */
    public DdlReader(SqlMode mode, boolean honoursAll) {
        this.mode = mode;
        this.honoursAll = honoursAll;
    }

    /** Decides by the first words of one statement. */
    public boolean reads(String sql) {
        TokenCursor tokens = new TokenCursor(sql, "", mode);
        boolean drop = tokens.at("DROP");
        if (tokens.take("CREATE") || tokens.take("DROP")) {
            tokens.take("OR");
            tokens.take("REPLACE");
            tokens.take("TEMPORARY");
            tokens.take("EXTERNAL");
            return tokens.at("TABLE")
                    || (drop && tokens.at("TABLES"))
                    || tokens.at("DATABASE")
                    || tokens.at("SCHEMA")
                    || tokens.at("INDEX")
                    || tokens.at("UNIQUE")
                    || tokens.at("FULLTEXT");
        }
        if (tokens.take("ALTER") || tokens.take("RENAME")) {
            return tokens.at("TABLE");
        }
        return tokens.at("TRUNCATE");
    }

    /** Allows a final semicolon. Without {@code schema}, unqualified names are error 1046. */
    public DdlStatement read(String sql, String schema) {
        TokenCursor tokens = new TokenCursor(sql, schema, mode);
        if (!honoursAll) {
            tokens.refuseUnhonoured();
        }
        DdlStatement statement = statement(tokens);
        tokens.take(';');
        if (!tokens.atEnd()) {
            throw tokens.error("the end of the statement");
        }
        return statement;
    }

    /** Returns {@link ColumnType.Kind#OTHER} for an unknown type. */
    public ColumnType printedType(String text) {
        try {
            TokenCursor tokens = new TokenCursor(text, "", mode);
            ColumnType type = new TypeReader(tokens, Flavour.DORIS, true).read().type();
            return tokens.atEnd() ? type : ColumnType.of(ColumnType.Kind.OTHER);
        } catch (StatementRefusedException newer) {
            return ColumnType.of(ColumnType.Kind.OTHER);
        }
    }

    private static DdlStatement statement(TokenCursor tokens) {
        if (tokens.take("CREATE")) {
            return create(tokens);
        }
        if (tokens.take("ALTER")) {
            tokens.take("IGNORE");
            tokens.expect("TABLE");
            TableName name = tokens.tableName();
            return new AlterTable(name, new AlterTableReader(tokens, name).read());
        }
        if (tokens.take("DROP")) {
            return drop(tokens);
        }
        if (tokens.take("TRUNCATE")) {
            tokens.take("TABLE");
            TableName name = tokens.tableName();
            if (tokens.at("PARTITION") || tokens.at("PARTITIONS")) {
                throw StatementRefusedException.unsupported("TRUNCATE of a partition");
            }
            tokens.take("FORCE");
            return new TruncateTable(name);
        }
        tokens.expect("RENAME");
        tokens.expect("TABLE");
        return rename(tokens);
    }

    private static DdlStatement create(TokenCursor tokens) {
        if (tokens.at("TEMPORARY") || tokens.at("EXTERNAL") || tokens.at("OR")) {
            throw StatementRefusedException.unsupported("CREATE " + tokens.name("a kind of table") + " TABLE");
        }
        if (tokens.take("DATABASE") || tokens.take("SCHEMA")) {
            boolean ifNotExists = tokens.takeIfNotExists();
            String name = tokens.databaseName();
            return new CreateDatabase(name, ifNotExists, databaseOptions(tokens));
        }
        if (tokens.at("INDEX") || tokens.at("UNIQUE") || tokens.at("FULLTEXT") || tokens.at("SPATIAL")) {
            return createIndex(tokens);
        }
        tokens.expect("TABLE");
        boolean ifNotExists = tokens.takeIfNotExists();
        TableName name = tokens.tableName();
        tokens.refuseQuery();
        if (tokens.take("LIKE")) {
            return like(tokens, name, ifNotExists);
        }
        if (tokens.atLikeInParentheses()) {
            tokens.expect('(');
            tokens.expect("LIKE");
            CreateTableLike like = like(tokens, name, ifNotExists);
            tokens.expect(')');
            return like;
        }
        if (!tokens.atSymbol('(')) {
            throw tokens.error("'(' and the columns of the table");
        }
        return new CreateTable(new CreateTableReader(tokens, name).read(), ifNotExists);
    }

    private static CreateTableLike like(TokenCursor tokens, TableName name, boolean ifNotExists) {
        TableName source = tokens.tableName();
        if (tokens.at("WITH")) {
            throw StatementRefusedException.unsupported("WITH ROLLUP");
        }
        return new CreateTableLike(name, source, ifNotExists);
    }

    private static DdlStatement createIndex(TokenCursor tokens) {
        boolean unique = tokens.take("UNIQUE");
        boolean fulltext = tokens.take("FULLTEXT");
        tokens.expect("INDEX");
        boolean ifNotExists = tokens.takeIfNotExists();
        String index = tokens.name("an index name");
        if (tokens.take("USING")) {
            tokens.name("an index type");
        }
        tokens.expect("ON");
        TableName table = tokens.tableName();
        TableIndex body = new IndexReader(tokens).body(index, unique, fulltext);
        return new AlterTable(table, List.of(new TableChange.AddIndex(body, ifNotExists)));
    }

    private static DdlStatement drop(TokenCursor tokens) {
        if (tokens.take("DATABASE") || tokens.take("SCHEMA")) {
            boolean ifExists = tokens.takeIfExists();
            String name = tokens.databaseName();
            tokens.take("FORCE");
            return new DropDatabase(name, ifExists);
        }
        if (tokens.take("INDEX")) {
            boolean ifExists = tokens.takeIfExists();
            String index = tokens.name("an index name");
            tokens.expect("ON");
            return new AlterTable(tokens.tableName(), List.of(new TableChange.DropIndex(index, ifExists)));
        }
        tokens.take("TEMPORARY");
        if (!tokens.take("TABLES")) {
            tokens.expect("TABLE");
        }
        boolean ifExists = tokens.takeIfExists();
        return new DropTable(dropped(tokens), ifExists);
    }

    private static List<TableName> dropped(TokenCursor tokens) {
        List<TableName> names = new ArrayList<>();
        do {
            if (names.size() == MAX_TABLES) {
                throw tokens.error("at most " + MAX_TABLES + " tables");
            }
            names.add(tokens.tableName());
        } while (tokens.take(','));
        if (!tokens.take("FORCE") && !tokens.take("RESTRICT")) {
            tokens.take("CASCADE");
        }
        return names;
    }

    private static DdlStatement rename(TokenCursor tokens) {
        List<Renaming> renamings = new ArrayList<>();
        do {
            TableName from = tokens.tableName();
            tokens.expect("TO");
            renamings.add(new Renaming(from, tokens.tableName()));
        } while (tokens.take(',') && renamings.size() < MAX_TABLES);
        return new RenameTable(renamings);
    }

    private static Map<String, String> databaseOptions(TokenCursor tokens) {
        Map<String, String> options = new LinkedHashMap<>();
        while (!tokens.atEnd() && !tokens.atSymbol(';') && options.size() < 64) {
            if (tokens.take("PROPERTIES")) {
                tokens.properties(options, 64);
            } else {
                options.putAll(tokens.tableOption());
            }
        }
        return options;
    }
}
