package org.keyline.gateway.metrics;

import org.keyline.protocol.CommandCode;

enum CommandKind {
    QUERY,
    STMT_PREPARE,
    STMT_EXECUTE,
    STMT_CLOSE,
    STMT_FETCH,
    STMT_RESET,
    STMT_SEND_LONG_DATA,
    INIT_DB,
    PING,
    RESET_CONNECTION,
    CHANGE_USER,
    OTHER;

    static CommandKind of(int code) {
        return switch (code) {
            case CommandCode.COM_QUERY -> QUERY;
            case CommandCode.COM_STMT_PREPARE -> STMT_PREPARE;
            case CommandCode.COM_STMT_EXECUTE -> STMT_EXECUTE;
            case CommandCode.COM_STMT_CLOSE -> STMT_CLOSE;
            case CommandCode.COM_STMT_FETCH -> STMT_FETCH;
            case CommandCode.COM_STMT_RESET -> STMT_RESET;
            case CommandCode.COM_STMT_SEND_LONG_DATA -> STMT_SEND_LONG_DATA;
            case CommandCode.COM_INIT_DB -> INIT_DB;
            case CommandCode.COM_PING -> PING;
            case CommandCode.COM_RESET_CONNECTION -> RESET_CONNECTION;
            case CommandCode.COM_CHANGE_USER -> CHANGE_USER;
            default -> OTHER;
        };
    }
}
