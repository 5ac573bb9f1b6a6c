package org.keyline.planner.digest;

import org.jspecify.annotations.Nullable;

/** The kinds of token in MySQL's lexical grammar. */
public enum TokenType {
    /** An unquoted identifier or a keyword. */
    WORD,
    /** An identifier in backquotes, or in double quotes under ANSI_QUOTES. */
    QUOTED,
    /** A string in quotes. Adjacent strings are separate tokens. */
    STRING(SlotKind.STRING),
    INTEGER(SlotKind.INTEGER),
    DECIMAL(SlotKind.DECIMAL),
    FLOAT(SlotKind.FLOAT),
    HEX(SlotKind.HEX),
    BIT(SlotKind.BIT),
    /** {@code ?} */
    PLACEHOLDER(SlotKind.PLACEHOLDER),
    /** {@code _utf8mb4} before a string, or the N of {@code N'…'}. */
    INTRODUCER,
    /** {@code @name}, {@code @'name'}; also the host part of an account. */
    USER_VARIABLE,
    /** {@code @@name}, {@code @@global.name}. */
    SYSTEM_VARIABLE,
    OPERATOR,
    DOT,
    COMMA,
    LEFT_PARENTHESIS,
    RIGHT_PARENTHESIS,
    SEMICOLON,
    /** {@code /*+ …}, an optimizer hint. */
    HINT,
    /** {@code /*! …} or {@code /*M! …}: text that some stores execute. */
    EXECUTABLE_COMMENT,
    /** Bytes that no statement can have, or the rest of an unterminated string or comment. */
    ERROR,
    END;

    private final @Nullable SlotKind slotKind;

    TokenType() {
        slotKind = null;
    }

    TokenType(SlotKind slotKind) {
        this.slotKind = slotKind;
    }

    /**
     * Returns the kind of slot into which a digest moves the token; null if the token remains in
     * the text.
     */
    public @Nullable SlotKind slotKind() {
        return slotKind;
    }

    /** Returns whether the token is a literal or a placeholder. */
    public boolean isValue() {
        return slotKind != null;
    }

    /** Returns whether the token can name something. */
    public boolean isName() {
        return this == WORD || this == QUOTED;
    }
}
