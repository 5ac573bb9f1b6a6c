package org.keyline.protocol;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A collation of MySQL or MariaDB: its number in the protocol, its name, and its character set.
 *
 * @param id the number, 1..4095
 * @param name such as {@code utf8mb4_0900_ai_ci}
 * @param charset MySQL's name of the character set, such as {@code utf8mb4}
 * @see
 * <a href="https://dev.mysql.com/doc/refman/8.4/en/information-schema-collations-table.html">COLLATIONS</a>
 * @see <a href="https://mariadb.com/kb/en/supported-character-sets-and-collations/">MariaDB
 * collations</a>
 */
public record Collation(int id, String name, String charset) {
    /** utf8mb4_general_ci, which every server with utf8mb4 knows. */
    public static final int UTF8MB4_GENERAL_CI = 45;

    /** utf8mb4_0900_ai_ci: MySQL 8's default. */
    public static final int UTF8MB4_0900_AI_CI = 255;

    /** binary: the collation of columns that contain no text. */
    public static final int BINARY = 63;

    /** latin1_swedish_ci: MySQL's default before 8.0. */
    public static final int LATIN1_SWEDISH_CI = 8;

    /** Returns the collation with this id; null if it is unknown. */
    public static @Nullable Collation byId(int id) {
        return Collations.byId(id);
    }

    /**
     * Returns the collation with this name, ignoring case; null if there is no such collation.
     * {@code utf8_…} means {@code utf8mb3_…}.
     */
    public static @Nullable Collation byName(String name) {
        return Collations.byName(name);
    }

    /** Returns the collation that SET NAMES selects for a character set; null if it is unknown. */
    public static @Nullable Collation defaultOf(String charset) {
        return Collations.defaultOf(charset);
    }

    public int maxBytesPerCharacter() {
        return switch (charset) {
            case "utf8mb4", "utf16", "utf16le", "utf32", "gb18030" -> 4;
            case "utf8mb3", "ujis", "eucjpms" -> 3;
            case "big5", "sjis", "euckr", "gb2312", "gbk", "ucs2", "cp932" -> 2;
            default -> 1;
        };
    }

    /**
     * Returns the character set of a collation; UTF-8 if the id is 0 or unknown, or if Java has no
     * such charset.
     */
    public static Charset charsetOf(int id) {
        Collation collation = byId(id);
        Charset charset = collation == null ? null : Collations.javaCharset(collation.charset);
        return charset == null ? StandardCharsets.UTF_8 : charset;
    }
}
