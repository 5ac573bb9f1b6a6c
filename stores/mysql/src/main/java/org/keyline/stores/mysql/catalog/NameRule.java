package org.keyline.stores.mysql.catalog;

import org.keyline.planner.TableName;

/**
 * The store's comparison of schema and table names: the variable {@code lower_case_table_names}.
 */
enum NameRule {
    /** Byte by byte. */
    EXACT,
    /** Tables in any letter case, schemas byte by byte. */
    FOLDED_TABLES,
    /** Both in any letter case. */
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

    /** Returns the same key for all spellings of a name. */
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
     * Folds ASCII letters only: a name that the store folds beyond them is unknown in another
     * spelling, and forwarded.
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
