package org.keyline.stores.mysql.catalog;

import org.keyline.planner.TableName;

/**
 * The store's comparison of schema and table names: the variable {@code lower_case_table_names}.
 */
enum NameRule {
    /** Compares all names byte by byte. */
    EXACT,
    /** Compares names of tables ignoring case, and schemas byte by byte. */
    FOLDED_TABLES,
    /** Compares names of tables and schemas ignoring case. */
    FOLDED;

    /** Returns the rule for the value of the variable. */
    static NameRule of(Dialect dialect, int lowerCaseTableNames) {
        if (lowerCaseTableNames == 0) {
            return EXACT;
        }
        return switch (dialect) {
            case DORIS, STARROCKS -> FOLDED_TABLES;
            case MYSQL, MARIADB, OTHER -> FOLDED;
        };
    }

    /** Returns a key that is equal for all spellings of a name. */
    TableName key(String schema, String table) {
        return switch (this) {
            case EXACT -> new TableName(schema, table);
            case FOLDED_TABLES -> new TableName(schema, fold(table));
            case FOLDED -> new TableName(fold(schema), fold(table));
        };
    }

    TableName key(TableName name) {
        return key(name.schema(), name.table());
    }

    /**
     * Folds only ASCII letters. If the store also folds other letters, a name in another spelling
     * is unknown, and its statement is forwarded.
     */
    private static String fold(String name) {
        char[] folded = null;
        for (int i = 0; i < name.length(); i++) {
            char at = name.charAt(i);
            if (at >= 'A' && at <= 'Z') {
                folded = folded == null ? name.toCharArray() : folded;
                folded[i] = (char) (at + ('a' - 'A'));
            }
        }
        return folded == null ? name : new String(folded);
    }
}
