package org.keyline.stores.duckdb.calcite;

import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.config.Lex;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.ParserText;
import org.keyline.stores.duckdb.translate.StatementText;

/** Calcite's parser over a query that was written for it. */
final class QueryParser {

    private static final SqlParser.Config CONFIG = SqlParser.config()
            .withLex(Lex.MYSQL)
            .withUnquotedCasing(Casing.UNCHANGED)
            .withConformance(SqlConformanceEnum.BABEL)
            .withIdentifierMaxLength(4_096);

    private QueryParser() {}

    /** The tree; an error names the token of the statement where the parser stopped. */
    static SqlNode parse(ParserText query, StatementText text) {
        try {
            return SqlParser.create(query.sql(), CONFIG).parseQuery();
        } catch (SqlParseException e) {
            int column = e.getPos() == null ? 0 : e.getPos().getColumnNum();
            throw text.error(column == 0 ? text.length() : query.token(column), "something else");
        } catch (StackOverflowError e) {
            throw tooDeep();
        } catch (org.apache.calcite.runtime.CalciteContextException | IllegalArgumentException e) {
            throw StatementRefusedException.syntax("You have an error in your SQL syntax: " + e.getMessage());
        }
    }

    static StatementRefusedException tooDeep() {
        return new StatementRefusedException(1436, "HY000", "Thread stack overrun: the statement is nested too deeply");
    }
}
