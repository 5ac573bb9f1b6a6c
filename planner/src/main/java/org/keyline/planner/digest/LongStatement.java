package org.keyline.planner.digest;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a statement that is too long for a digest, in one pass and bounded memory. */
final class LongStatement {
    /** Number of first tokens, all of which are retained. */
    static final int HEAD_TOKENS = 1024;

    static final int MAX_TOKENS = 16 << 10;

    private static final Token VALUE = new Token(TokenType.PLACEHOLDER, "?", 0, 0);

    private LongStatement() {}

    /** Returns the tokens that determine the statement's effect; null if the effect is unknown. */
    static @Nullable Shape read(Digester source) {
        Lexer lexer = new Lexer();
        source.lex(lexer);
        List<Token> tokens = new ArrayList<>();
        TokenType before = TokenType.END;
        boolean ended = false;
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            boolean opaque = type == TokenType.ERROR || type == TokenType.EXECUTABLE_COMMENT;
            if (opaque || ended || tokens.size() > MAX_TOKENS) {
                return null;
            }
            if (type == TokenType.SEMICOLON) {
                ended = true;
            } else if (tokens.size() < HEAD_TOKENS) {
                tokens.add(type.isValue() ? VALUE : lexer.token());
            } else if (matters(type, before)) {
                add(tokens, lexer.token());
            }
            before = type;
        }
        return lexer.ambiguous() || lexer.dashes() ? null : new Shape("", tokens, tokens.isEmpty() ? 0 : 1, false);
    }

    private static boolean matters(TokenType type, TokenType before) {
        return type.isName()
                || type == TokenType.DOT
                || type == TokenType.SYSTEM_VARIABLE
                || type == TokenType.USER_VARIABLE
                || (type == TokenType.LEFT_PARENTHESIS && before.isName());
    }

    /** Adds a token. Drops words such as NULL, which occur often in long lists of rows. */
    private static void add(List<Token> tokens, Token token) {
        Token last = tokens.get(tokens.size() - 1);
        boolean filler = last.is("NULL") || last.is("DEFAULT") || last.is("TRUE") || last.is("FALSE");
        if (filler && tokens.size() > HEAD_TOKENS && token.type() != TokenType.LEFT_PARENTHESIS) {
            tokens.set(tokens.size() - 1, token);
        } else {
            tokens.add(token);
        }
    }
}
