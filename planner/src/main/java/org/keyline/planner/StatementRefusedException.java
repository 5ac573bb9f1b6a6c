package org.keyline.planner;

/** The error for a statement that the gateway cannot read or run. The session stays open. */
public final class StatementRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;

    private final String sqlState;

    /**
     * @param code MySQL error number
     * @param sqlState five characters
     * @param message sent to the client
     */
    public StatementRefusedException(int code, String sqlState, String message) {
        super(message);
        this.code = code;
        this.sqlState = sqlState;
    }

    /** Returns the MySQL error number, e.g. 1064. */
    public int code() {
        return code;
    }

    /** Returns the SQLSTATE, five characters. */
    public String sqlState() {
        return sqlState;
    }

    /** Returns error 1064: the gateway cannot parse the text. */
    public static StatementRefusedException syntax(String message) {
        return new StatementRefusedException(1064, "42000", message);
    }

    /** Returns error 1235: the gateway does not support the statement. */
    public static StatementRefusedException unsupported(String what) {
        return new StatementRefusedException(1235, "42000", "This store doesn't support " + what);
    }
}
