package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.stores.ddl.ShowCreateTable;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.meta.StoredTable;
import org.keyline.stores.duckdb.reply.ResultColumns;
import org.keyline.stores.duckdb.translate.SqlType;

/**
 * Answers SHOW statements that no SELECT can answer: SHOW CREATE, COUNT(*) of warnings and errors,
 * and GRANTS. Used once.
 */
final class LocalShows {
    private final Words words;
    private final DuckDbState session;
    private final StatementRunner runner;

    LocalShows(Words words, DuckDbState session, StatementRunner runner) {
        this.words = words;
        this.session = session;
        this.runner = runner;
    }

    /**
     * Returns whether this class answers a SHOW without a SELECT. The position is after that word.
     */
    static boolean answers(Words words) {
        return words.is("CREATE") || words.is("COUNT") || words.is("GRANTS");
    }

    /**
     * Answers a SHOW; the position is after that word. {@link ShowStatements} makes the SELECTs for
     * all others.
     */
    StatementOutcome show(List<? extends @Nullable Object> values) throws SQLException {
        if (words.take("CREATE")) {
            return showCreate();
        }
        if (words.take("COUNT")) {
            boolean errors = !words.sql().toUpperCase(java.util.Locale.ROOT).contains("WARNINGS");
            Diagnostics diagnostics = session.diagnostics();
            return local(
                    List.of(errors ? "@@session.error_count" : "@@session.warning_count"),
                    SqlType.INTEGER,
                    Arrays.asList(Integer.toString(errors ? diagnostics.errors() : diagnostics.count())));
        }
        if (words.take("GRANTS")) {
            String user = session.identity().user();
            if (words.take("FOR")) {
                requireSelf(user);
            }
            words.expectEnd();
            return local(
                    List.of("Grants for " + user + "@%"),
                    SqlType.STRING,
                    Arrays.asList("GRANT ALL PRIVILEGES ON *.* TO " + SqlText.name(user) + "@`%` WITH GRANT OPTION"));
        }
        String select = new ShowStatements(words, session).select();
        return runner.translated(runner.bound(select, values));
    }

    /**
     * Reads the account of a SHOW GRANTS, which must be that of the session. Only the gateway knows
     * other accounts.
     */
    private void requireSelf(String user) {
        boolean self;
        if (words.take("CURRENT_USER")) {
            self = true;
            if (words.takeSymbol("(") && !words.takeSymbol(")")) {
                throw words.error("')'");
            }
        } else {
            self = words.nameOrString().equals(user);
            if (words.token().type() == TokenType.USER_VARIABLE) {
                words.next();
            }
        }
        if (!self) {
            throw StatementRefusedException.unsupported("SHOW GRANTS FOR another user");
        }
    }

    private StatementOutcome showCreate() {
        if (words.take("TABLE")) {
            TableName name = new ShowStatements(words, session).name();
            words.expectEnd();
            StoredTable table = session.services().catalog().stored(name);
            if (table == null) {
                throw Errors.error(1146, "42S02", "Table '" + name + "' doesn't exist");
            }
            return local(
                    List.of("Table", "Create Table"),
                    SqlType.STRING,
                    Arrays.asList(table.definition().name().table(), ShowCreateTable.of(table.definition())));
        }
        if (words.take("DATABASE") || words.take("SCHEMA")) {
            boolean ifNotExists = words.takeAll("IF", "NOT");
            if (ifNotExists) {
                words.expect("EXISTS");
            }
            String name = words.database();
            words.expectEnd();
            String found = session.services().catalog().database(name);
            if (found == null) {
                throw Errors.error(1049, "42000", "Unknown database '" + name + "'");
            }
            return local(
                    List.of("Database", "Create Database"),
                    SqlType.STRING,
                    Arrays.asList(
                            found,
                            "CREATE DATABASE " + (ifNotExists ? "/*!32312 IF NOT EXISTS*/ " : "") + SqlText.name(found)
                                    + " /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin */"));
        }
        throw StatementRefusedException.unsupported(
                "SHOW CREATE " + words.token().text().toUpperCase(java.util.Locale.ROOT));
    }

    private StatementOutcome local(List<String> names, SqlType type, List<@Nullable String> row) {
        return rows(session, names, type, List.of(row));
    }

    /** Returns rows of columns of one type. */
    static StatementOutcome rows(
            DuckDbState session, List<String> names, SqlType type, List<List<@Nullable String>> rows) {
        ResultColumns definitions = new ResultColumns(session.variables().resultsCollation());
        List<ColumnDefinition> columns = names.stream()
                .map(name -> definitions.ofValue(name, type, false))
                .toList();
        return new StatementOutcome.Local(columns, rows);
    }
}
