package org.keyline.stores.duckdb.translate;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Clauses of Doris's queries that this store does not have. */
public final class DorisClauses {
    private static final int SYNTAX = 1064;
    private static final Set<String> WORDS = Set.of(
            "EXCEPT",
            "LATERAL",
            "MINUS",
            "PARTITION",
            "PARTITIONS",
            "QUALIFY",
            "TABLESAMPLE",
            "TABLET",
            "TABLETS",
            "UNNEST");

    private DorisClauses() {}

    /** 1235 that names the clause, where a statement could not be read and has one of them; else the error as it is. */
    public static StatementRefusedException named(StatementRefusedException error, StatementText text) {
        if (error.code() != SYNTAX) {
            return error;
        }
        List<Token> tokens = text.tokens();
        for (int i = 1; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            String word = token.type() == TokenType.WORD ? token.text().toUpperCase(Locale.ROOT) : "";
            boolean star = tokens.get(i - 1).isSymbol("*");
            if (WORDS.contains(word) || (star && word.equals("REPLACE"))) {
                return StatementRefusedException.unsupported((star ? "* " : "") + word + " here");
            }
        }
        return error;
    }
}
