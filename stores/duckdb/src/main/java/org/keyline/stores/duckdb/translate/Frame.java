package org.keyline.stores.duckdb.translate;

/** What a parenthesis opened, and where in it the writer is. */
final class Frame {

    /** What a parenthesis opened. */
    enum Kind {
        /** A group, a list, a subquery, or the statement itself. */
        GROUP,
        CALL,
        CAST,
        CONVERT,
        EXTRACT,
        TRIM,
        SUBSTRING,
        POSITION,
        CHARACTERS,
        GROUP_CONCAT,
        OVER,
        /** A parenthesis that is marked as such in the tree, where the tree would lose it. */
        KEPT_GROUP
    }

    final Kind kind;
    /** Token after SELECT or a comma of its list; -1 outside of the list. */
    int item = -1;

    int caseDepth;
    /** Bit operators seen since the last comma. */
    int operators;

    boolean limit;
    boolean window;
    boolean rollup;

    Frame(Kind kind) {
        this.kind = kind;
    }
}
