package org.keyline.planner;

/** Signals that the gateway cannot parse or execute a statement. The session stays open. */
public final class StatementRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;

    private final String sqlState;

    public StatementRefusedException(int code, String sqlState, String message) {
        super(message);
        this.code = code;
        this.sqlState = sqlState;
    }

    public int code() {
        return code;
    }

    public String sqlState() {
        return sqlState;
    }

    /** Returns error 1064, because the gateway cannot parse the text. */
    public static StatementRefusedException syntax(String message) {
        return new StatementRefusedException(1064, "42000", message);
    }

    /** Returns error 1235, because the gateway does not support the statement. */
    public static StatementRefusedException unsupported(String what) {
        return new StatementRefusedException(1235, "42000", "This store doesn't support " + what);
    }
}
