package org.keyline.stores.duckdb.translate;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * Searches statements that have a syntax error for clauses of MySQL and Doris that this store
 * lacks. The client then gets an error that names the clause.
 */
public final class RefusedClauses {
    private static final int SYNTAX = 1064;

    /** Each clause is a sequence of adjacent tokens. */
    private static final List<String[]> CLAUSES = """
            WITH RECURSIVE,WITH ROLLUP,VALUES ROW,FOR UPDATE,FOR SHARE,LOCK IN SHARE MODE,WINDOW,OVER,NATURAL JOIN
            SOUNDS LIKE,MEMBER OF,SQL_CALC_FOUND_ROWS,UPDATE IGNORE,EXCEPT,FOR TIME AS,FOR VERSION AS,FULL JOIN
            FULL OUTER,SELECT KEY,GROUPING SETS,INDEX,INTERSECT,LATERAL,LEFT ANTI,LEFT SEMI,MATCH,MATCH_ALL,MATCH_ANY
            MATCH_PHRASE,MATCH_PHRASE_EDGE,MATCH_PHRASE_PREFIX,MATCH_REGEXP,MINUS,NULLS FIRST,NULLS LAST,PARTITION
            PARTITIONS,QUALIFY,RIGHT ANTI,RIGHT SEMI,TABLESAMPLE,TABLET,TABLETS,TRY_CAST,UNNEST
            * REPLACE,->,::,: :,:=,[,{
            """.lines()
            .flatMap(line -> Stream.of(line.split(",", -1)))
            .map(clause -> clause.split(" ", -1))
            .toList();

    private static final List<String> WRITES = List.of("INSERT", "UPDATE", "DELETE");

    private RefusedClauses() {}

    /**
     * Returns error 1235, which names the clause, if {@code error} is a syntax error and the
     * statement has such a clause. Returns other errors unchanged.
     */
    public static StatementRefusedException named(StatementRefusedException error, StatementText text) {
        if (error.code() != SYNTAX) {
            return error;
        }
        List<Token> tokens = text.tokens();
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            for (String[] clause : CLAUSES) {
                if (stands(clause, tokens, i)) {
                    return StatementRefusedException.unsupported(String.join(" ", clause) + " here");
                }
            }
            boolean call = i + 1 < tokens.size() && tokens.get(i + 1).type() == TokenType.LEFT_PARENTHESIS;
            if (token.type() == TokenType.USER_VARIABLE && call) {
                return StatementRefusedException.unsupported(token.text() + "(…) behind a table");
            }
            if (tokens.get(0).is("WITH") && WRITES.stream().anyMatch(token::is)) {
                return StatementRefusedException.unsupported("WITH before " + token.text());
            }
        }
        return error;
    }

    private static boolean stands(String[] clause, List<Token> tokens, int at) {
        return at + clause.length <= tokens.size()
                && IntStream.range(0, clause.length)
                        .allMatch(i -> tokens.get(at + i).is(clause[i])
                                || tokens.get(at + i).isSymbol(clause[i]));
    }
}
