package org.keyline.gateway.simulator;

/** An isolation level, weakest first. */
enum Isolation {
    READ_UNCOMMITTED,
    READ_COMMITTED,
    REPEATABLE_READ,
    SERIALIZABLE;

    private static final String SET = "SET SESSION TRANSACTION ISOLATION LEVEL ";

    /** Returns whether a statement sets the level of a session. */
    static boolean isSetBy(String sql) {
        return sql.startsWith(SET);
    }

    /** Returns the level that a statement sets, or whose name ends with a word. */
    static Isolation of(String text) {
        for (Isolation level : values()) {
            if (text.endsWith(level.words().substring(level.words().lastIndexOf(' ') + 1))) {
                return level;
            }
        }
        throw new IllegalArgumentException(text);
    }

    /** Returns the statement that sets this level. */
    String statement() {
        return SET + words();
    }

    private String words() {
        return name().replace('_', ' ');
    }

    /** Returns the value of {@code transaction_isolation}. */
    String variable() {
        return name().replace('_', '-');
    }

    /** Returns whether all reads of a transaction see one snapshot. */
    boolean isRepeatable() {
        return compareTo(REPEATABLE_READ) >= 0;
    }
}
