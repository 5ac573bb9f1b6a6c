package org.keyline.planner.digest;

import org.jspecify.annotations.Nullable;

/** The kinds of token in MySQL's lexical grammar. */
public enum TokenType {
    WORD,
    /** An identifier in backquotes, or in double quotes under ANSI_QUOTES. */
    QUOTED,
    /** A string. Adjacent strings are separate tokens. */
    STRING(SlotKind.STRING),
    INTEGER(SlotKind.INTEGER),
    DECIMAL(SlotKind.DECIMAL),
    FLOAT(SlotKind.FLOAT),
    HEX(SlotKind.HEX),
    BIT(SlotKind.BIT),
    PLACEHOLDER(SlotKind.PLACEHOLDER),
    /** {@code _utf8mb4} before a string, or the N of {@code N'…'}. */
    INTRODUCER,
    /** {@code @name}, {@code @'name'}; also the host part of an account. */
    USER_VARIABLE,
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

    /** Returns the kind of the token's slot; null if the token remains in the digested text. */
    public @Nullable SlotKind slotKind() {
        return slotKind;
    }

    public boolean isValue() {
        return slotKind != null;
    }

    public boolean isName() {
        return this == WORD || this == QUOTED;
    }
}
