package org.keyline.stores.ddl;

public final class SqlText {

    private SqlText() {}

    /** Returns a string literal as MySQL prints it, with quotes doubled and backslashes escaped. */
    public static String quoted(String value) {
        StringBuilder text = new StringBuilder(value.length() + 2).append('\'');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\'' -> text.append("''");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\0' -> text.append("\\0");
                default -> text.append(c);
            }
        }
        return text.append('\'').toString();
    }

    /** Returns {@code "value"} as Doris prints strings. */
    public static String doubleQuoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    public static String name(String name) {
        return '`' + name.replace("`", "``") + '`';
    }

    /** Returns the value of a string literal. Returns other texts, such as a number, unchanged. */
    public static String plain(String defaultSql) {
        return defaultSql.startsWith("'")
                ? Strings.value(defaultSql, org.keyline.planner.digest.SqlMode.DEFAULT)
                : defaultSql;
    }

    static String binaryName(String type) {
        return type.startsWith("varchar")
                ? "varbinary" + type.substring(7)
                : type.startsWith("char") ? "binary" + type.substring(4) : type.replace("text", "blob");
    }
}
