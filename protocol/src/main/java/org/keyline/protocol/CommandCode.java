package org.keyline.protocol;

/**
 * Command codes: the first byte of every command packet.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">Command
 * phase</a>
 */
public final class CommandCode {
    public static final int COM_SLEEP = 0x00;
    public static final int COM_QUIT = 0x01;
    public static final int COM_INIT_DB = 0x02;
    public static final int COM_QUERY = 0x03;
    public static final int COM_FIELD_LIST = 0x04;
    public static final int COM_CREATE_DB = 0x05;
    public static final int COM_DROP_DB = 0x06;
    public static final int COM_STATISTICS = 0x09;
    public static final int COM_PROCESS_INFO = 0x0A;
    public static final int COM_PROCESS_KILL = 0x0C;
    public static final int COM_DEBUG = 0x0D;
    public static final int COM_PING = 0x0E;
    public static final int COM_CHANGE_USER = 0x11;
    public static final int COM_BINLOG_DUMP = 0x12;
    public static final int COM_TABLE_DUMP = 0x13;
    public static final int COM_STMT_PREPARE = 0x16;
    public static final int COM_STMT_EXECUTE = 0x17;
    public static final int COM_STMT_SEND_LONG_DATA = 0x18;
    public static final int COM_STMT_CLOSE = 0x19;
    public static final int COM_STMT_RESET = 0x1A;
    public static final int COM_SET_OPTION = 0x1B;
    public static final int COM_STMT_FETCH = 0x1C;
    public static final int COM_BINLOG_DUMP_GTID = 0x1E;
    public static final int COM_RESET_CONNECTION = 0x1F;
    public static final int COM_CLONE = 0x20;

    /** MariaDB: COM_STMT_EXECUTE with many rows of parameters. */
    public static final int COM_STMT_BULK_EXECUTE = 0xFA;

    public static final int MYSQL_OPTION_MULTI_STATEMENTS_ON = 0;

    public static final int MYSQL_OPTION_MULTI_STATEMENTS_OFF = 1;

    private CommandCode() {}
}
