--- The SELECTs that answer SHOW statements. An entry begins with the words after SHOW (| separates spellings) and ends with ;.
--- `from schema`: the statement may have [FROM database]. {schema} is this database, or the session's if there is none.
--- `from table`: the statement has FROM table [FROM database], the source of {schema} and {table}.
--- `like Column`: the statement may have LIKE 'pattern', which filters this column of the result, or WHERE, which may use all columns.
--- `limit`: the statement may have LIMIT.
--- {tables} is the name that MySQL gives to the first column of SHOW TABLES.

-- DATABASES|SCHEMAS from catalog like Database
SELECT SCHEMA_NAME AS `Database` FROM information_schema.SCHEMATA ORDER BY `Database`;

-- TABLES from schema like {tables}
SELECT TABLE_NAME AS {tables} FROM information_schema.TABLES WHERE TABLE_SCHEMA = {schema} ORDER BY TABLE_NAME;

-- FULL TABLES from schema like {tables}
SELECT TABLE_NAME AS {tables}, TABLE_TYPE AS Table_type
FROM information_schema.TABLES WHERE TABLE_SCHEMA = {schema} ORDER BY TABLE_NAME;

-- TABLE STATUS from schema like Name
SELECT TABLE_NAME AS Name, ENGINE AS Engine, VERSION AS Version, ROW_FORMAT AS Row_format, TABLE_ROWS AS `Rows`,
    AVG_ROW_LENGTH AS Avg_row_length, DATA_LENGTH AS Data_length, MAX_DATA_LENGTH AS Max_data_length, INDEX_LENGTH AS Index_length,
    DATA_FREE AS Data_free, AUTO_INCREMENT AS Auto_increment, CREATE_TIME AS Create_time, UPDATE_TIME AS Update_time,
    CHECK_TIME AS Check_time, TABLE_COLLATION AS `Collation`, CHECKSUM AS `Checksum`, CREATE_OPTIONS AS Create_options,
    TABLE_COMMENT AS Comment
FROM information_schema.TABLES WHERE TABLE_SCHEMA = {schema} ORDER BY TABLE_NAME;

-- OPEN TABLES from schema like Table
SELECT TABLE_SCHEMA AS `Database`, TABLE_NAME AS `Table`, 0 AS In_use, 0 AS Name_locked FROM information_schema.TABLES WHERE FALSE;

-- COLUMNS|FIELDS from table like Field
SELECT COLUMN_NAME AS Field, COLUMN_TYPE AS Type, IS_NULLABLE AS `Null`, COLUMN_KEY AS `Key`, COLUMN_DEFAULT AS `Default`, EXTRA AS Extra
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {table} ORDER BY ORDINAL_POSITION;

-- FULL COLUMNS|FULL FIELDS from table like Field
SELECT COLUMN_NAME AS Field, COLUMN_TYPE AS Type, COLLATION_NAME AS `Collation`, IS_NULLABLE AS `Null`, COLUMN_KEY AS `Key`,
    COLUMN_DEFAULT AS `Default`, EXTRA AS Extra, PRIVILEGES AS Privileges, COLUMN_COMMENT AS Comment
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {table} ORDER BY ORDINAL_POSITION;

-- INDEX|INDEXES|KEYS|KEY from table like Key_name
SELECT TABLE_NAME AS `Table`, NON_UNIQUE AS Non_unique, INDEX_NAME AS Key_name, SEQ_IN_INDEX AS Seq_in_index,
    COLUMN_NAME AS Column_name, COLLATION AS `Collation`, CARDINALITY AS Cardinality, SUB_PART AS Sub_part, PACKED AS Packed,
    NULLABLE AS `Null`, INDEX_TYPE AS Index_type, COMMENT AS Comment, INDEX_COMMENT AS Index_comment, IS_VISIBLE AS Visible,
    EXPRESSION AS Expression
FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {table} ORDER BY INDEX_NAME, SEQ_IN_INDEX;

-- VARIABLES|SESSION VARIABLES|LOCAL VARIABLES like Variable_name
SELECT VARIABLE_NAME AS Variable_name, VARIABLE_VALUE AS Value FROM information_schema.SESSION_VARIABLES ORDER BY Variable_name;

-- GLOBAL VARIABLES like Variable_name
SELECT VARIABLE_NAME AS Variable_name, VARIABLE_VALUE AS Value FROM information_schema.GLOBAL_VARIABLES ORDER BY Variable_name;

-- STATUS|SESSION STATUS|LOCAL STATUS like Variable_name
SELECT VARIABLE_NAME AS Variable_name, VARIABLE_VALUE AS Value FROM information_schema.SESSION_STATUS ORDER BY Variable_name;

-- GLOBAL STATUS like Variable_name
SELECT VARIABLE_NAME AS Variable_name, VARIABLE_VALUE AS Value FROM information_schema.GLOBAL_STATUS ORDER BY Variable_name;

-- WARNINGS limit
SELECT LEVEL AS Level, CODE AS Code, MESSAGE AS Message FROM information_schema.KEYLINE_DIAGNOSTICS ORDER BY ORDINAL;

-- ERRORS limit
SELECT LEVEL AS Level, CODE AS Code, MESSAGE AS Message FROM information_schema.KEYLINE_DIAGNOSTICS WHERE LEVEL = 'Error' ORDER BY ORDINAL;

-- PROCESSLIST
SELECT ID AS Id, USER AS User, HOST AS Host, DB AS db, COMMAND AS Command, TIME AS Time, STATE AS State, LEFT(INFO, 100) AS Info
FROM information_schema.PROCESSLIST ORDER BY ID;

-- FULL PROCESSLIST
SELECT ID AS Id, USER AS User, HOST AS Host, DB AS db, COMMAND AS Command, TIME AS Time, STATE AS State, INFO AS Info
FROM information_schema.PROCESSLIST ORDER BY ID;

-- ENGINES|STORAGE ENGINES
SELECT ENGINE AS Engine, SUPPORT AS Support, COMMENT AS Comment, TRANSACTIONS AS Transactions, XA, SAVEPOINTS AS Savepoints
FROM information_schema.ENGINES;

-- PLUGINS
SELECT PLUGIN_NAME AS Name, PLUGIN_STATUS AS Status, PLUGIN_TYPE AS Type, PLUGIN_LIBRARY AS Library, PLUGIN_LICENSE AS License
FROM information_schema.PLUGINS;

-- PRIVILEGES
SELECT DISTINCT PRIVILEGE_TYPE AS Privilege, 'Server Admin' AS Context, '' AS Comment FROM information_schema.USER_PRIVILEGES;

-- COLLATION like Collation
SELECT COLLATION_NAME AS `Collation`, CHARACTER_SET_NAME AS `Charset`, ID AS Id, IS_DEFAULT AS `Default`, IS_COMPILED AS Compiled,
    SORTLEN AS Sortlen, PAD_ATTRIBUTE AS Pad_attribute
FROM information_schema.COLLATIONS ORDER BY `Collation`;

-- CHARACTER SET|CHAR SET|CHARSET like Charset
SELECT CHARACTER_SET_NAME AS `Charset`, DESCRIPTION AS Description, DEFAULT_COLLATE_NAME AS `Default collation`, MAXLEN AS Maxlen
FROM information_schema.CHARACTER_SETS ORDER BY `Charset`;

-- PROCEDURE STATUS|FUNCTION STATUS like Name
SELECT ROUTINE_SCHEMA AS Db, ROUTINE_NAME AS Name, ROUTINE_TYPE AS Type, DEFINER AS Definer, LAST_ALTERED AS Modified,
    CREATED AS Created, SECURITY_TYPE AS Security_type, ROUTINE_COMMENT AS Comment, CHARACTER_SET_CLIENT AS character_set_client,
    COLLATION_CONNECTION AS collation_connection, DATABASE_COLLATION AS `Database Collation`
FROM information_schema.ROUTINES ORDER BY Name;

-- TRIGGERS from schema like Table
SELECT TRIGGER_NAME AS `Trigger`, EVENT_MANIPULATION AS Event, EVENT_OBJECT_TABLE AS `Table`, ACTION_STATEMENT AS Statement,
    ACTION_TIMING AS Timing, CREATED AS Created, SQL_MODE AS sql_mode, DEFINER AS Definer,
    CHARACTER_SET_CLIENT AS character_set_client, COLLATION_CONNECTION AS collation_connection,
    DATABASE_COLLATION AS `Database Collation`
FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = {schema} ORDER BY `Trigger`;

-- EVENTS from schema like Name
SELECT EVENT_SCHEMA AS Db, EVENT_NAME AS Name, DEFINER AS Definer, TIME_ZONE AS `Time zone`, EVENT_TYPE AS Type, STATUS AS Status
FROM information_schema.EVENTS WHERE EVENT_SCHEMA = {schema} ORDER BY Name;
