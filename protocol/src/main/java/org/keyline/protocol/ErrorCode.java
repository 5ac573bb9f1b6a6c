package org.keyline.protocol;

/**
 * The MySQL errors that Keyline returns, with number, SQLSTATE and the server's usual text. These
 * texts omit the details for which MySQL's texts have placeholders. A caller that has details
 * passes its own text.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html">Server error
 * reference</a>
 */
public enum ErrorCode {
    ER_OUT_OF_SORTMEMORY(1038, "HY001", "Out of memory"),
    ER_OUT_OF_RESOURCES(1041, "HY000", "Out of memory"),
    ER_CON_COUNT_ERROR(1040, "08004", "Too many connections"),
    ER_HANDSHAKE_ERROR(1043, "08S01", "Bad handshake"),
    ER_ACCESS_DENIED_ERROR(1045, "28000", "Access denied for user"),
    ER_NO_DB_ERROR(1046, "3D000", "No database selected"),
    ER_UNKNOWN_COM_ERROR(1047, "08S01", "Unknown command"),
    ER_BAD_DB_ERROR(1049, "42000", "Unknown database"),
    ER_BAD_FIELD_ERROR(1054, "42S22", "Unknown column"),
    ER_DUP_ENTRY(1062, "23000", "Duplicate entry"),
    ER_PARSE_ERROR(1064, "42000", "You have an error in your SQL syntax"),
    ER_NO_SUCH_THREAD(1094, "HY000", "Unknown thread id"),
    ER_UNKNOWN_ERROR(1105, "HY000", "Unknown error"),
    ER_NO_SUCH_TABLE(1146, "42S02", "Table doesn't exist"),
    ER_NET_PACKET_TOO_LARGE(1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes"),
    ER_NET_UNCOMPRESS_ERROR(1157, "08S01", "Couldn't uncompress communication packet"),
    ER_NET_READ_INTERRUPTED(1159, "08S01", "Got timeout reading communication packets"),
    ER_NET_PACKETS_OUT_OF_ORDER(1156, "08S01", "Got packets out of order"),
    ER_TOO_MANY_USER_CONNECTIONS(1203, "42000", "User already has more than 'max_user_connections' active connections"),
    ER_LOCK_WAIT_TIMEOUT(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction"),
    ER_WRONG_ARGUMENTS(1210, "HY000", "Incorrect arguments"),
    ER_LOCK_DEADLOCK(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction"),
    ER_USER_LIMIT_REACHED(1226, "42000", "User has exceeded a resource"),
    ER_SPECIFIC_ACCESS_DENIED_ERROR(1227, "42000", "Access denied; you need more privileges for this operation"),
    ER_WRONG_VALUE_FOR_VAR(1231, "42000", "Variable can't be set to the value"),
    ER_NOT_SUPPORTED_YET(1235, "42000", "This version of the server doesn't yet support this"),
    ER_UNKNOWN_STMT_HANDLER(1243, "HY000", "Unknown prepared statement handler"),
    ER_NOT_SUPPORTED_AUTH_MODE(1251, "08004", "Client does not support authentication protocol requested by server"),
    ER_DATA_OUT_OF_RANGE(1264, "22003", "Out of range value for column"),
    ER_TRUNCATED_WRONG_VALUE(1292, "22007", "Truncated incorrect value"),
    ER_UNSUPPORTED_PS(1295, "HY000", "This command is not supported in the prepared statement protocol yet"),
    ER_QUERY_INTERRUPTED(1317, "70100", "Query execution was interrupted"),
    ER_STMT_HAS_NO_OPEN_CURSOR(1421, "HY000", "The statement has no open cursor"),
    ER_CONNECT_TO_FOREIGN_DATA_SOURCE(1429, "08001", "Unable to connect to foreign data source"),
    ER_MAX_PREPARED_STMT_COUNT_REACHED(1461, "42000", "Can't create more than max_prepared_stmt_count statements"),
    ER_NEED_REPREPARE(1615, "HY000", "Prepared statement needs to be re-prepared"),
    ER_MALFORMED_PACKET(1835, "HY000", "Malformed communication packet"),
    ER_CONNECTION_KILLED(1927, "70100", "Connection was killed"),
    ER_QUERY_TIMEOUT(3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded"),
    ER_SECURE_TRANSPORT_REQUIRED(3159, "HY000", "Connections using insecure transport are prohibited"),
    ER_CLIENT_INTERACTION_TIMEOUT(4031, "HY000", "The client was disconnected by the server because of inactivity");

    /** The SQLSTATE of errors that have no specific SQLSTATE. */
    public static final String GENERAL_STATE = "HY000";

    private final int number;
    private final String sqlState;
    private final String text;

    ErrorCode(int number, String sqlState, String text) {
        this.number = number;
        this.sqlState = sqlState;
        this.text = text;
    }

    public int number() {
        return number;
    }

    public String sqlState() {
        return sqlState;
    }

    public String text() {
        return text;
    }
}
