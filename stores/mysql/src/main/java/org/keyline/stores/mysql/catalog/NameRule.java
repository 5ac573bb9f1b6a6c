package org.keyline.stores.mysql.catalog;

import org.keyline.planner.TableName;

/** How a store compares names of schemas and tables: the variable {@code lower_case_table_names}. */
enum NameRule {
    /** Byte by byte. */
    EXACT,
    /** Tables without regard to case, schemas byte by byte. */
    FOLDED_TABLES,
    /** Both without regard to case. */
    FOLDED;

    /** The rule of a store by the value of its variable. */
    static NameRule of(Dialect dialect, int lowerCaseTableNames) {
        if (lowerCaseTableNames == 0) {
            return EXACT;
        }
        return switch (dialect) {
            case DORIS, STARROCKS -> FOLDED_TABLES;
            case MYSQL, MARIADB, OTHER -> FOLDED;
        };
    }

    /** One form for all spellings of a name. */
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

    /** Letters of ASCII only: in what the store folds beyond them, a spelling that is not found is only forwarded. */
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
