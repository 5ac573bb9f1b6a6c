package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.ShowCreateTable;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.meta.DuckDbCatalog;
import org.keyline.stores.duckdb.translate.Resources;
import org.keyline.stores.duckdb.translate.Tokens;

/**
 * Turns SHOW and DESCRIBE into SELECTs of {@code shows.sql}, so that WHERE, prepared statements and
 * result metadata need no special rules.
 */
final class ShowStatements {
    private static final Pattern ENTRY =
            Pattern.compile("-- ([A-Z |]+?)(?: from (\\w+))?(?: like (\\S+))?( limit)?\n(.*)", Pattern.DOTALL);

    private static final List<Show> SHOWS = entries();

    private final Tokens words;
    private final DuckDbState session;

    ShowStatements(Tokens words, DuckDbState session) {
        this.words = words;
        this.session = session;
    }

    /**
     * A form of SHOW.
     *
     * @param from what the name after FROM denotes: catalog, schema or table; empty if the
     *     statement has no FROM
     * @param like the result's column that LIKE filters; empty if the statement has no filters
     */
    private record Show(List<String> spelling, String from, String like, boolean limit, String select) {}

    private static List<Show> entries() {
        List<Show> shows = new ArrayList<>();
        String text = Resources.text(ShowStatements.class, "shows.sql").replaceAll("(?m)^---.*\n", "");
        for (String entry : text.strip().split(";\n*", -1)) {
            Matcher m = ENTRY.matcher(entry);
            if (!m.matches()) {
                if (entry.isEmpty()) {
                    continue;
                }
                throw new IllegalStateException("shows.sql: " + entry);
            }
            for (String spelling : m.group(1).split("\\|", -1)) {
                shows.add(new Show(
                        List.of(spelling.split(" ", -1)),
                        Objects.requireNonNullElse(m.group(2), ""),
                        Objects.requireNonNullElse(m.group(3), ""),
                        m.group(4) != null,
                        m.group(5)));
            }
        }
        return shows;
    }

    /** Returns the SELECT that answers a SHOW. The position is after the word SHOW. */
    String select() {
        if (words.take("CREATE")) {
            return created();
        }
        if (words.take("COUNT")) {
            boolean errors = !words.sql().toUpperCase(Locale.ROOT).contains("WARNINGS");
            Diagnostics diagnostics = session.diagnostics();
            return "SELECT " + (errors ? diagnostics.errors() : diagnostics.count())
                    + (errors ? " AS `@@session.error_count`" : " AS `@@session.warning_count`");
        }
        if (words.take("GRANTS")) {
            return grants(session.identity().user());
        }
        words.take("EXTENDED");
        int start = words.index();
        for (Show show : SHOWS) {
            if (words.takeAll(show.spelling().toArray(new String[0]))) {
                if (show.from().equals("table")) {
                    return ofTable(show, start);
                }
                return filtered(show, show.from().isEmpty() ? "" : schema(show.from()), "", pattern());
            }
        }
        throw words.token().type() == TokenType.WORD ? refused() : words.error("what is to be shown");
    }

    private String created() {
        if (words.take("TABLE")) {
            TableName name = name();
            words.expectEnd();
            TableDefinition table = catalog().require(name).definition();
            if (table == null) {
                throw StatementRefusedException.unsupported("SHOW CREATE TABLE of a system view");
            }
            return "SELECT " + words.quoted(table.name().table()) + " AS `Table`, "
                    + words.quoted(ShowCreateTable.of(table)) + " AS `Create Table`";
        }
        if (words.take("DATABASE") || words.take("SCHEMA")) {
            boolean ifNotExists = words.takeAll("IF", "NOT", "EXISTS");
            String name = catalog().requireDatabase(words.database());
            words.expectEnd();
            return "SELECT " + words.quoted(name) + " AS `Database`, "
                    + words.quoted(
                            "CREATE DATABASE " + (ifNotExists ? "/*!32312 IF NOT EXISTS*/ " : "") + SqlText.name(name)
                                    + " /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin */")
                    + " AS `Create Database`";
        }
        throw StatementRefusedException.unsupported(
                "SHOW CREATE " + words.token().text().toUpperCase(Locale.ROOT));
    }

    /** Answers SHOW GRANTS for the session's own account; only the gateway knows other accounts. */
    private String grants(String user) {
        if (words.take("FOR") && !isSelf(user)) {
            throw StatementRefusedException.unsupported("SHOW GRANTS FOR another user");
        }
        words.expectEnd();
        return "SELECT "
                + words.quoted("GRANT ALL PRIVILEGES ON *.* TO " + SqlText.name(user) + "@`%` WITH GRANT OPTION")
                + " AS " + SqlText.name("Grants for " + user + "@%");
    }

    private boolean isSelf(String user) {
        if (words.take("CURRENT_USER")) {
            if (words.takeSymbol("(")) {
                words.expectSymbol(")");
            }
            return true;
        }
        boolean self = words.nameOrString().equals(user);
        if (words.token().type() == TokenType.USER_VARIABLE) {
            words.next();
        }
        return self;
    }

    private String ofTable(Show show, int start) {
        if (!words.is("FROM") && !words.is("IN")) {
            boolean other = words.token().type() == TokenType.WORD;
            words.go(other ? start : words.index());
            throw other ? refused() : words.error("FROM");
        }
        words.next();
        TableName named = name();
        if (words.take("FROM") || words.take("IN")) {
            named = new TableName(words.database(), named.table());
        }
        TableName table = catalog().require(named).name();
        return filtered(show, table.schema(), table.table(), pattern());
    }

    private String filtered(Show show, String schema, String table, @Nullable String like) {
        String tables = SqlText.name("Tables_in_" + schema + (like == null ? "" : " (" + like + ")"));
        String select = show.select()
                .replace("{schema}", words.quoted(schema))
                .replace("{table}", words.quoted(table))
                .replace("{tables}", tables);
        if (show.limit()) {
            return select + " " + words.rest();
        }
        String condition = "";
        if (like != null && !show.like().isEmpty()) {
            String column = show.like().equals("{tables}") ? tables : SqlText.name(show.like());
            condition = "LOWER(" + column + ") LIKE " + words.quoted(like.toLowerCase(Locale.ROOT));
        } else if (!show.like().isEmpty() && words.take("WHERE")) {
            return "SELECT * FROM (" + select + ") AS shown WHERE " + words.rest();
        }
        words.expectEnd();
        return condition.isEmpty() ? select : "SELECT * FROM (" + select + ") AS shown WHERE " + condition;
    }

    /** Returns the error for a SHOW that the store lacks, such as a SHOW about a Doris cluster. */
    private StatementRefusedException refused() {
        Token next = words.token(1);
        String second = next.type() == TokenType.WORD ? " " + next.text() : "";
        return StatementRefusedException.unsupported(
                ("SHOW " + words.token().text() + second).toUpperCase(Locale.ROOT));
    }

    /** Returns the SELECT for DESCRIBE table [column or pattern], read after DESCRIBE. */
    String describe() {
        TableName table = name();
        TableName known = catalog().require(table).name();
        Show columns = SHOWS.stream()
                .filter(show -> show.spelling().get(0).equals("COLUMNS"))
                .findFirst()
                .orElseThrow();
        return filtered(columns, known.schema(), known.table(), words.atEnd() ? null : words.nameOrString());
    }

    /** Consumes LIKE 'pattern'; returns null if it is missing. */
    @Nullable
    private String pattern() {
        return words.take("LIKE") ? words.string() : null;
    }

    /** Consumes [FROM | IN database]; returns the current database if it is missing. */
    private String schema(String kind) {
        boolean named = words.take("FROM") || words.take("IN");
        if (kind.equals("catalog")) {
            if (named) {
                Tokens.requireInternal(words.name());
            }
            return "";
        }
        if (!named) {
            return session.requireDatabase();
        }
        return catalog().requireDatabase(words.database());
    }

    /** Consumes [[internal .] database .] table. */
    TableName name() {
        String first = words.name();
        if (!words.takeSymbol(".")) {
            return new TableName(session.requireDatabase(), first);
        }
        String second = words.name();
        if (!words.takeSymbol(".")) {
            return new TableName(first, second);
        }
        Tokens.requireInternal(first);
        return new TableName(second, words.name());
    }

    private DuckDbCatalog catalog() {
        return session.services().catalog();
    }
}
