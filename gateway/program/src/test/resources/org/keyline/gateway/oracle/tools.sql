# What tools send on connecting and on opening a table.
SHOW ENGINES
SHOW STORAGE ENGINES
SHOW CHARSET
SHOW CHARACTER SET
SHOW COLLATION
SHOW PLUGINS
SHOW GRANTS
SHOW GRANTS FOR CURRENT_USER()
SHOW PRIVILEGES
SHOW FULL TABLES FROM `d`
SHOW FULL TABLES
SHOW FULL TABLES FROM d WHERE table_type='BASE TABLE'
SHOW TABLE STATUS
SHOW TABLE STATUS FROM `d` LIKE 'plain'
SHOW FULL COLUMNS FROM `plain` FROM `d`
SHOW FULL COLUMNS FROM `d`.`plain` LIKE '%'
SHOW INDEX FROM `plain` FROM `d`
SHOW KEYS FROM plain
SHOW CREATE TABLE `d`.`plain`
SHOW CREATE DATABASE `d`
SHOW DATABASES LIKE 'd%'
SHOW SCHEMAS
SHOW VARIABLES
SHOW SESSION VARIABLES LIKE 'lower_case_%'
SHOW GLOBAL VARIABLES LIKE 'version%'
SHOW VARIABLES WHERE Variable_name IN ('sql_mode','autocommit')
SHOW STATUS
SHOW GLOBAL STATUS
SHOW SESSION STATUS LIKE 'Ssl_cipher'
SHOW PROCESSLIST
SHOW FULL PROCESSLIST
SHOW TRIGGERS
SHOW TRIGGERS FROM d
SHOW EVENTS
SHOW EVENTS FROM d
SHOW PROCEDURE STATUS
SHOW FUNCTION STATUS WHERE Db='d'
SHOW WARNINGS
SHOW ERRORS
SHOW COUNT(*) WARNINGS
SHOW OPEN TABLES
SELECT @@GLOBAL.character_set_server,@@GLOBAL.collation_server
SELECT @@GLOBAL.version_comment
SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@character_set_connection AS character_set_connection, @@character_set_results AS character_set_results, @@character_set_server AS character_set_server, @@collation_server AS collation_server, @@collation_connection AS collation_connection, @@init_connect AS init_connect, @@interactive_timeout AS interactive_timeout, @@license AS license, @@lower_case_table_names AS lower_case_table_names, @@max_allowed_packet AS max_allowed_packet, @@net_write_timeout AS net_write_timeout, @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, @@system_time_zone AS system_time_zone, @@time_zone AS time_zone, @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout
SELECT @@tx_isolation
SELECT DATABASE(), USER(), CURRENT_USER(), VERSION(), CONNECTION_ID(), SCHEMA(), SESSION_USER(), SYSTEM_USER()
SELECT * FROM information_schema.ROUTINES
SELECT * FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA='d' ORDER BY ROUTINE_NAME
SELECT * FROM information_schema.PARAMETERS
SELECT * FROM information_schema.TRIGGERS
SELECT * FROM information_schema.EVENTS
SELECT * FROM information_schema.VIEWS
SELECT * FROM information_schema.TABLES
SELECT * FROM information_schema.COLUMNS
SELECT * FROM information_schema.STATISTICS
SELECT * FROM information_schema.KEY_COLUMN_USAGE
SELECT * FROM information_schema.TABLE_CONSTRAINTS
SELECT * FROM information_schema.REFERENTIAL_CONSTRAINTS
SELECT * FROM information_schema.CHECK_CONSTRAINTS
SELECT * FROM information_schema.SCHEMATA
SELECT * FROM information_schema.CHARACTER_SETS
SELECT * FROM information_schema.COLLATIONS
SELECT * FROM information_schema.ENGINES
SELECT * FROM information_schema.PLUGINS
SELECT * FROM information_schema.PARTITIONS
SELECT * FROM information_schema.USER_PRIVILEGES
SELECT * FROM information_schema.SCHEMA_PRIVILEGES
SELECT * FROM information_schema.TABLE_PRIVILEGES
SELECT * FROM information_schema.COLUMN_PRIVILEGES
SELECT * FROM information_schema.PROCESSLIST
SELECT * FROM information_schema.GLOBAL_VARIABLES
SELECT * FROM information_schema.SESSION_VARIABLES
SELECT * FROM information_schema.GLOBAL_STATUS
SELECT * FROM information_schema.KEYWORDS
SELECT * FROM performance_schema.global_variables
SELECT table_name, engine, table_rows, data_length+index_length FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1
SELECT cc.CONSTRAINT_NAME, cc.CHECK_CLAUSE, tc.TABLE_NAME FROM (SELECT CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'd') cc, (SELECT TABLE_NAME, CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA = 'd' AND TABLE_NAME='plain') tc WHERE cc.CONSTRAINT_NAME = tc.CONSTRAINT_NAME
SELECT * FROM information_schema.REFERENTIAL_CONSTRAINTS rc, information_schema.KEY_COLUMN_USAGE kcu WHERE rc.CONSTRAINT_SCHEMA = 'd' AND kcu.CONSTRAINT_SCHEMA = rc.CONSTRAINT_SCHEMA
SET SESSION TRANSACTION READ WRITE
SET autocommit=1
SET SQL_SELECT_LIMIT=200
SET SQL_SELECT_LIMIT=DEFAULT
SET NAMES utf8mb4
SET character_set_results = NULL
SET net_write_timeout=600
SET SQL_QUOTE_SHOW_CREATE=1
EXPLAIN SELECT * FROM plain
EXPLAIN FORMAT=JSON SELECT * FROM plain
EXPLAIN EXTENDED SELECT 1
DESCRIBE plain
DESC d.plain id
SELECT 1
/* ApplicationName=DBeaver 24 - Main */ SELECT DATABASE()
/* mysql-connector */ SET character_set_results = utf8mb4
SELECT * FROM plain LIMIT 0, 200
SELECT COUNT(*) FROM `d`.`plain`
FLUSH PRIVILEGES
FLUSH TABLES
UNLOCK TABLES
SELECT FOUND_ROWS()
SELECT @@sql_mode
