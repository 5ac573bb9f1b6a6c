package org.keyline.planner;

/** A statement that cannot be read or honoured, with the error the client gets. The session lives on. */
public final class StatementRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** MySQL error number, e.g. 1064. */
    private final int code;

    /** Five characters. */
    private final String sqlState;

    /**
     * @param code MySQL error number
     * @param sqlState five characters
     * @param message what the client reads
     */
    public StatementRefusedException(int code, String sqlState, String message) {
        super(message);
        this.code = code;
        this.sqlState = sqlState;
    }

    /** MySQL error number, e.g. 1064. */
    public int code() {
        return code;
    }

    /** SQLSTATE, five characters. */
    public String sqlState() {
        return sqlState;
    }

    /** 1064: the text is not a statement that can be read. */
    public static StatementRefusedException syntax(String message) {
        return new StatementRefusedException(1064, "42000", message);
    }

    /** 1235: the statement is understood and cannot be honoured. */
    public static StatementRefusedException unsupported(String what) {
        return new StatementRefusedException(1235, "42000", "This store doesn't support " + what);
    }
}
