package org.keyline.stores.mysql.catalog;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;

/**
 * The expression of a column that the store computes at a read. MariaDB allows CURRENT_USER() and
 * NOW() in it. The value counts as different for each reader unless the expression is known to
 * depend only on the row. Immutable.
 *
 * @param pure whether the value is the same for all readers if the values of its columns are
 * @param columns the columns that the expression may name, in lower case
 */
record VirtualColumn(boolean pure, Set<String> columns) {
    /**
     * Functions and operators whose result depends only on the operands, not on time, users,
     * sessions or formats.
     */
    private static final Set<String> PURE = Set.of("""
            ABS AND AS ASCII BETWEEN BIN BIT_LENGTH CASE CAST CEIL CEILING CHAR CHAR_LENGTH CHARSET CHARACTER COALESCE COLLATE
            CONCAT CONCAT_WS CONVERT CRC32 DECIMAL ELSE END FALSE FIELD FIND_IN_SET FLOOR GREATEST HEX IF IFNULL IN INSTR INT
            INTEGER IS ISNULL JSON_CONTAINS JSON_EXISTS JSON_EXTRACT JSON_KEYS JSON_LENGTH JSON_QUERY JSON_QUOTE JSON_TYPE
            JSON_UNQUOTE JSON_VALID JSON_VALUE LCASE LEAST LEFT LENGTH LIKE LOCATE LOWER LPAD LTRIM MD5 MID NOT NULL NULLIF
            OCTET_LENGTH OR ORD POSITION REPLACE RETURNING REVERSE RIGHT ROUND RPAD RTRIM SHA SHA1 SHA2 SET SIGN SIGNED SUBSTR SUBSTRING
            SUBSTRING_INDEX THEN TRIM TRUE TRUNCATE UCASE UNHEX UNSIGNED UPPER USING WHEN XOR LATIN1 UTF8 UTF8MB3 UTF8MB4
            BINARY
            """.strip().split("\\s+"));

    VirtualColumn {
        columns = Set.copyOf(columns);
    }

    /** Parses an expression as GENERATION_EXPRESSION shows it. MySQL escapes the quotes in it. */
    static VirtualColumn of(String expression) {
        List<Token> tokens = Lexer.tokens(expression.replace("\\'", "'"), SqlMode.DEFAULT);
        Set<String> columns = new HashSet<>();
        boolean pure = true;
        for (Token token : tokens) {
            switch (token.type()) {
                case WORD -> pure &= PURE.contains(token.text().toUpperCase(Locale.ROOT));
                // Division by zero causes a warning in some sessions only, so division is not pure.
                case OPERATOR -> pure &= !token.isSymbol("/") && !token.isSymbol("%");
                case QUOTED -> columns.add(token.name().toLowerCase(Locale.ROOT));
                case USER_VARIABLE, SYSTEM_VARIABLE, PLACEHOLDER, SEMICOLON, HINT, EXECUTABLE_COMMENT, ERROR ->
                    pure = false;
                default -> {}
            }
        }
        return new VirtualColumn(pure, columns);
    }
}
