package org.keyline.planner.calcite;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.avatica.util.Quoting;
import org.apache.calcite.config.Lex;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** A parser of SELECTs: Calcite's parser with MySQL's lexical settings. Immutable. */
final class SelectReader {
    /*
     * Calcite reserves many words that the stores do not (VALUE, YEAR, USER, RESULT, …), and
     * columns may have such names. So every word that point reads do not need goes into backquotes.
     */

    private static final SqlParser.Config CONFIG = SqlParser.config()
            .withLex(Lex.MYSQL)
            .withQuoting(Quoting.BACK_TICK)
            .withConformance(SqlConformanceEnum.MYSQL_5)
            .withIdentifierMaxLength(256);

    private static final Set<String> KEYWORDS = Set.of(
            "SELECT", "FROM", "WHERE", "AND", "OR", "IN", "BETWEEN", "IS", "NOT", "NULL", "ORDER", "BY", "ASC", "DESC",
            "LIMIT", "AS", "TRUE");

    private SelectReader() {}

    static SqlNode read(List<Token> tokens) throws Refusal {
        try {
            return SqlParser.create(text(tokens), CONFIG).parseQuery();
        } catch (SqlParseException | StackOverflowError e) {
            throw new Refusal(ForwardReason.UNPARSED);
        }
    }

    private static String text(List<Token> tokens) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean name = token.type() == TokenType.WORD && !isKeyword(tokens, i);
            text.append(name ? '`' + token.text() + '`' : token.text()).append(' ');
        }
        return text.toString();
    }

    private static boolean isKeyword(List<Token> tokens, int index) {
        if (index > 0 && tokens.get(index - 1).type() == TokenType.DOT) {
            return false;
        }
        Token token = tokens.get(index);
        boolean offset = index > 1
                && token.is("OFFSET")
                && tokens.get(index - 1).type() == TokenType.PLACEHOLDER
                && tokens.get(index - 2).is("LIMIT");
        return offset || KEYWORDS.contains(token.text().toUpperCase(Locale.ROOT));
    }
}
