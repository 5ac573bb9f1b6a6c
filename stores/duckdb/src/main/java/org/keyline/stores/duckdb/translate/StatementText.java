package org.keyline.stores.duckdb.translate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/**
 * The tokens and the values of a statement. The text without the values is the statement's {@link
 * #shape}. Statements of one shape share a translation. Immutable.
 */
public final class StatementText {
    /**
     * Precedes the kind of a literal in a {@link #shape}. A question mark precedes the kind of a
     * placeholder's value.
     */
    private static final char LITERAL = '\u0001';

    private final byte[] source;
    private final SqlMode mode;
    private final List<Token> tokens;
    private final List<ValueSlot> slots;

    private StatementText(byte[] source, SqlMode mode, List<Token> tokens, List<ValueSlot> slots) {
        this.source = source;
        this.mode = mode;
        this.tokens = tokens;
        this.slots = slots;
    }

    /** Reads a statement in UTF-8; string literals may hold any bytes. */
    public static StatementText of(byte[] sql, SqlMode mode) {
        return of(sql, mode, Lexer.tokens(sql, mode));
    }

    /**
     * Reads a statement whose tokens are known.
     *
     * @param source the statement; callers must not change it
     * @param lexed its tokens
     */
    public static StatementText of(byte[] source, SqlMode mode, List<Token> lexed) {
        List<Token> tokens = new ArrayList<>(lexed.size());
        List<ValueSlot> slots = new ArrayList<>();
        for (Token token : lexed) {
            TokenType type = token.type();
            if (type == TokenType.HINT) {
                continue;
            }
            if (type == TokenType.STRING
                    && !tokens.isEmpty()
                    && tokens.get(tokens.size() - 1).type() == TokenType.STRING) {
                joinStrings(source, mode, tokens, slots, token);
                continue;
            }
            tokens.add(token);
            if (type.isValue()) {
                slots.add(SlotReader.read(source, token, mode, introducer(tokens)));
            } else if (type == TokenType.EXECUTABLE_COMMENT) {
                throw StatementRefusedException.unsupported("executable comments: " + token.text());
            } else if (type == TokenType.ERROR) {
                throw new Tokens(new StatementText(source, mode, tokens, slots))
                        .error(tokens.size() - 1, "no such character or quote");
            }
        }
        ArrayValues.fold(tokens, slots);
        return new StatementText(source, mode, List.copyOf(tokens), slots);
    }

    public static StatementText of(String sql, SqlMode mode) {
        return of(sql.getBytes(UTF_8), mode);
    }

    private static void joinStrings(
            byte[] source, SqlMode mode, List<Token> tokens, List<ValueSlot> slots, Token next) {
        Token first = tokens.get(tokens.size() - 1);
        ValueSlot before = slots.get(slots.size() - 1);
        ValueSlot after = SlotReader.read(source, next, mode, "");
        tokens.set(
                tokens.size() - 1, new Token(TokenType.STRING, first.text() + next.text(), first.start(), next.end()));
        slots.set(slots.size() - 1, SlotReader.joined(before, after));
    }

    private static String introducer(List<Token> tokens) {
        int before = tokens.size() - 2;
        return before >= 0 && tokens.get(before).type() == TokenType.INTRODUCER
                ? tokens.get(before).text()
                : "";
    }

    /**
     * Returns the same statement with values for its placeholders.
     *
     * @param values one for each placeholder, in order; see {@link ValueSlot#value()} for the
     *     classes
     */
    public StatementText bound(List<? extends @Nullable Object> values) {
        List<ValueSlot> bound = new ArrayList<>(slots.size());
        int next = 0;
        for (ValueSlot slot : slots) {
            if (slot.placeholder()) {
                @Nullable Object value = values.get(next++);
                bound.add(new ValueSlot(SlotReader.kindOf(value), value, true, slot.start(), slot.end()));
            } else {
                bound.add(slot);
            }
        }
        if (next != values.size()) {
            throw new IllegalArgumentException("values: " + values.size() + " (expected: " + next + ")");
        }
        return new StatementText(source, mode, tokens, bound);
    }

    /** Returns the literals and placeholders in the order of the text. */
    public List<ValueSlot> slots() {
        return Collections.unmodifiableList(slots);
    }

    /** Returns the index in {@link #slots} of the value that begins at a byte offset. */
    public int slotAt(int offset) {
        int low = 0;
        int high = slots.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (slots.get(middle).start() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    public int placeholders() {
        return (int) slots.stream().filter(ValueSlot::placeholder).count();
    }

    /**
     * Returns the statement's text with the kind of each value in the value's place. Each other
     * byte becomes one character.
     */
    public String shape() {
        StringBuilder shape = new StringBuilder(source.length + slots.size());
        int from = 0;
        for (ValueSlot slot : slots) {
            shape.append(new String(source, from, slot.start() - from, ISO_8859_1))
                    .append(slot.placeholder() ? '?' : LITERAL)
                    .append(slot.kind());
            if (slot.kind() == ValueSlot.Kind.DECIMAL) {
                shape.append('.').append(slot.scale());
            }
            from = slot.end();
        }
        return shape.append(new String(source, from, source.length - from, ISO_8859_1))
                .toString();
    }

    public String slotText(int slot) {
        return text(slots.get(slot).start(), slots.get(slot).end());
    }

    /** Returns whether a LIMIT is outside of all parentheses. */
    public boolean isLimited() {
        int depth = 0;
        for (Token token : tokens) {
            depth += token.type() == TokenType.LEFT_PARENTHESIS
                    ? 1
                    : token.type() == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
            if (depth == 0 && token.is("LIMIT")) {
                return true;
            }
        }
        return false;
    }

    public int size() {
        return source.length;
    }

    public int length() {
        return tokens.size();
    }

    public SqlMode mode() {
        return mode;
    }

    public byte[] source() {
        return source;
    }

    public List<Token> tokens() {
        return tokens;
    }

    public String text(int from, int to) {
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(source, from, to - from))
                    .toString();
        } catch (CharacterCodingException e) {
            return new String(source, from, to - from, ISO_8859_1);
        }
    }
}
