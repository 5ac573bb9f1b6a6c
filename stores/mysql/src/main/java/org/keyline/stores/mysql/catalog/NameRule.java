package org.keyline.stores.mysql.catalog;

import org.keyline.planner.TableName;

/** How the store compares schema and table names ({@code lower_case_table_names}). */
enum NameRule {
    EXACT,
    FOLDED_TABLES,
    FOLDED;

    static NameRule of(Dialect dialect, int lowerCaseTableNames) {
        if (lowerCaseTableNames == 0) {
            return EXACT;
        }
        return switch (dialect) {
            case DORIS, STARROCKS -> FOLDED_TABLES;
            case MYSQL, MARIADB, OTHER -> FOLDED;
        };
    }

    /** Returns a name that is the same for all spellings which the store considers equal. */
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
     * Returns the name with ASCII letters in lower case. All other letters stay as they are. A name
     * that differs in the case of such a letter is therefore unknown.
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
