--- information_schema. The store creates the tables DECLARED_… and writes the declared tables and columns into them. Each entry after
--- these tables defines a view: its name, then a SELECT of its columns in order. The columns are cast to the types in views.txt. Views
--- that only views.txt lists have no rows.

CREATE TABLE DECLARED_DATABASES (schema_name VARCHAR, collation_name VARCHAR);
CREATE TABLE DECLARED_TABLES (schema_name VARCHAR, table_name VARCHAR, engine VARCHAR, created TIMESTAMP, comment VARCHAR);
CREATE TABLE DECLARED_COLUMNS (schema_name VARCHAR, table_name VARCHAR, position INTEGER, column_name VARCHAR, default_value VARCHAR,
    nullable VARCHAR, type VARCHAR, kind VARCHAR, length BIGINT, scale INTEGER, unsigned INTEGER, key VARCHAR, extra VARCHAR,
    comment VARCHAR);
CREATE TABLE DECLARED_KEYS (schema_name VARCHAR, table_name VARCHAR, key_name VARCHAR, position INTEGER, column_name VARCHAR,
    nullable VARCHAR, non_unique INTEGER, kind VARCHAR, comment VARCHAR);
CREATE TABLE DECLARED_PARTITIONS (schema_name VARCHAR, table_name VARCHAR, partition_name VARCHAR, position INTEGER, method VARCHAR,
    expression VARCHAR, created TIMESTAMP);
CREATE TABLE DECLARED_COLLATIONS (name VARCHAR, charset VARCHAR, id INTEGER, is_default VARCHAR, bytes INTEGER);

-- SCHEMATA
SELECT 'def', schema_name, 'utf8mb4', collation_name, NULL, 'NO' FROM DECLARED_DATABASES;

-- TABLES
SELECT 'def', t.schema_name, t.table_name, CASE WHEN engine IS NULL THEN 'SYSTEM VIEW' ELSE 'BASE TABLE' END, engine, 10,
    CASE WHEN engine IS NOT NULL THEN 'Dynamic' END, coalesce(d.estimated_size, 0), 0, 0, 0, 0, 0, NULL, created, NULL, NULL,
    CASE WHEN engine IS NOT NULL THEN 'utf8mb4_0900_bin' END, NULL, '', t.comment
FROM DECLARED_TABLES AS t LEFT JOIN duckdb_tables() AS d ON d.schema_name = t.schema_name AND d.table_name = t.table_name;

-- COLUMNS
SELECT 'def', schema_name, table_name, column_name, position, default_value, nullable, regexp_extract(type, '^\w*'), characters,
    CASE WHEN is_text AND kind <> 'TEXT' THEN least(4294967295, 4 * characters) ELSE characters END,
    CASE kind WHEN 'BOOLEAN' THEN 3 WHEN 'TINYINT' THEN 3 WHEN 'SMALLINT' THEN 5 WHEN 'MEDIUMINT' THEN 7 WHEN 'INT' THEN 10
        WHEN 'BIGINT' THEN 19 + unsigned WHEN 'LARGEINT' THEN 39 WHEN 'DECIMAL' THEN length WHEN 'BIT' THEN length
        WHEN 'FLOAT' THEN 12 WHEN 'DOUBLE' THEN 22 END,
    CASE WHEN kind = 'DECIMAL' THEN scale
        WHEN kind IN ('BOOLEAN', 'TINYINT', 'SMALLINT', 'MEDIUMINT', 'INT', 'BIGINT', 'LARGEINT') THEN 0 END,
    CASE WHEN kind IN ('DATETIME', 'TIMESTAMP', 'TIME') THEN scale END,
    CASE WHEN is_text THEN 'utf8mb4' END, CASE WHEN is_text THEN 'utf8mb4_0900_bin' END, type, key, extra,
    'select,insert,update,references', comment, '', NULL
FROM (SELECT *, kind IN ('CHAR', 'VARCHAR', 'TEXT') AS is_text,
        CASE WHEN is_text OR kind IN ('BINARY', 'VARBINARY', 'BLOB')
            THEN CASE length WHEN 2147483647 THEN 4294967295 ELSE length END END AS characters
    FROM DECLARED_COLUMNS);

-- STATISTICS
SELECT 'def', schema_name, table_name, non_unique, schema_name, key_name, position, column_name, 'A', 0, NULL, NULL,
    CASE nullable WHEN 'YES' THEN 'YES' ELSE '' END, kind, '', comment, 'YES', NULL
FROM DECLARED_KEYS;

-- KEY_COLUMN_USAGE
SELECT 'def', schema_name, key_name, 'def', schema_name, table_name, column_name, position, NULL, NULL, NULL, NULL
FROM DECLARED_KEYS WHERE non_unique = 0;

-- TABLE_CONSTRAINTS
SELECT 'def', schema_name, key_name, schema_name, table_name, CASE key_name WHEN 'PRIMARY' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, 'YES'
FROM DECLARED_KEYS WHERE non_unique = 0 AND position = 1;

-- PARTITIONS
SELECT 'def', schema_name, table_name, partition_name, NULL, position, NULL, method, NULL, expression, NULL, NULL, 0, 0, 0, NULL, 0, 0,
    created, NULL, NULL, NULL, '', NULL, NULL
FROM DECLARED_PARTITIONS;

-- COLLATIONS
SELECT name, charset, id, is_default, 'Yes', 1, CASE WHEN contains(name, '_0900_') OR name = 'binary' THEN 'NO PAD' ELSE 'PAD SPACE' END
FROM DECLARED_COLLATIONS;

-- COLLATION_CHARACTER_SET_APPLICABILITY
SELECT name, charset FROM DECLARED_COLLATIONS;

-- CHARACTER_SETS
SELECT charset, name, charset, bytes FROM DECLARED_COLLATIONS WHERE is_default = 'Yes';

-- ENGINES
VALUES ('OLAP', 'DEFAULT', 'Rows of Doris DDL, kept by DuckDB', 'YES', 'NO', 'NO'),
    ('InnoDB', 'YES', 'Rows of MySQL DDL, kept by DuckDB', 'YES', 'NO', 'NO');

-- PLUGINS
SELECT name, '1.0', 'ACTIVE', 'AUTHENTICATION', '1.0', NULL, NULL, 'Keyline', 'authentication', 'Apache-2.0', 'FORCE'
FROM (VALUES ('mysql_native_password'), ('caching_sha2_password')) AS p(name);

-- USER_PRIVILEGES
SELECT '''root''@''%''', 'def', unnest(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'ALTER', 'PROCESS']), 'YES';

-- KEYWORDS
SELECT unnest(string_split('ADD ALL ALTER ANALYZE AND AS ASC BETWEEN BIGINT BINARY BLOB BOTH BY CASCADE CASE CHANGE CHAR CHECK COLLATE COLUMN ' ||
        'CONSTRAINT CREATE CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DATABASES DECIMAL DEFAULT DELETE DESC ' ||
        'DESCRIBE DISTINCT DIV DOUBLE DROP ELSE EXISTS EXPLAIN FALSE FLOAT FOR FORCE FOREIGN FROM FULLTEXT GRANT GROUP HAVING IF ' ||
        'IGNORE IN INDEX INNER INSERT INT INTEGER INTERVAL INTO IS JOIN KEY KEYS KILL LEADING LEFT LIKE LIMIT LINES LOAD LOCK ' ||
        'LONG LONGBLOB LONGTEXT MATCH MEDIUMBLOB MEDIUMINT MEDIUMTEXT MOD NATURAL NOT NULL NUMERIC ON OPTION OR ORDER OUTER ' ||
        'PRIMARY PROCEDURE RANGE READ REAL REFERENCES REGEXP RENAME REPLACE RESTRICT REVOKE RIGHT RLIKE SELECT SET SHOW SMALLINT ' ||
        'TABLE THEN TINYBLOB TINYINT TINYTEXT TO TRAILING TRIGGER TRUE UNION UNIQUE UNLOCK UNSIGNED UPDATE USAGE USE USING VALUES ' ||
        'VARBINARY VARCHAR WHEN WHERE WITH WRITE XOR ZEROFILL', ' ')), 1;
