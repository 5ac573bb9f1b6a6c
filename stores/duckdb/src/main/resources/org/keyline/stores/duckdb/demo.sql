# The sample data: the schema demo with tables as Doris users declare them and a few fixed rows, and an empty ycsb.usertable. The
# statements are ordinary SQL for any session, separated by ; at the end of a line. Running them again changes nothing.
CREATE DATABASE IF NOT EXISTS demo;
CREATE DATABASE IF NOT EXISTS ycsb;
CREATE TABLE IF NOT EXISTS demo.users (
  user_id BIGINT NOT NULL COMMENT "who",
  name VARCHAR(64) NOT NULL,
  city VARCHAR(64),
  balance DECIMAL(12,2) NOT NULL DEFAULT "0",
  active BOOLEAN NOT NULL DEFAULT "1",
  registered DATETIME NOT NULL
) ENGINE=OLAP
UNIQUE KEY(user_id)
COMMENT "people"
DISTRIBUTED BY HASH(user_id) BUCKETS 4
PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true",
  "light_schema_change" = "true", "store_row_column" = "true");
CREATE TABLE IF NOT EXISTS demo.vertices (
  user_id BIGINT NOT NULL,
  graph_id INT NOT NULL,
  vertex_id BIGINT NOT NULL,
  label VARCHAR(32) NOT NULL,
  weight DOUBLE NOT NULL,
  updated DATETIME(3) NOT NULL
) ENGINE=OLAP
UNIQUE KEY(user_id, graph_id, vertex_id)
COMMENT "vertices of the users' graphs: one prefix holds a neighbourhood"
DISTRIBUTED BY HASH(user_id) BUCKETS 4
PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true",
  "light_schema_change" = "true", "store_row_column" = "true");
CREATE TABLE IF NOT EXISTS demo.orders (
  user_id BIGINT NOT NULL,
  order_id INT NOT NULL,
  item VARCHAR(64) NOT NULL,
  amount DECIMAL(10,2) NOT NULL,
  ordered DATE NOT NULL
) ENGINE=OLAP
UNIQUE KEY(user_id, order_id)
DISTRIBUTED BY HASH(user_id) BUCKETS 4
PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true",
  "light_schema_change" = "true", "store_row_column" = "true");
CREATE TABLE IF NOT EXISTS ycsb.usertable (
  YCSB_KEY varchar(255),
  FIELD0 text,
  FIELD1 text,
  FIELD2 text,
  FIELD3 text,
  FIELD4 text,
  FIELD5 text,
  FIELD6 text,
  FIELD7 text,
  FIELD8 text,
  FIELD9 text
) ENGINE=OLAP
UNIQUE KEY(YCSB_KEY)
COMMENT "OLAP"
DISTRIBUTED BY HASH(YCSB_KEY) BUCKETS 16
PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true",
  "light_schema_change" = "true", "store_row_column" = "true");
INSERT INTO demo.users
WITH digits AS (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
    UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9),
  users AS (SELECT 10 * t.d + o.d + 1 AS u FROM digits AS t CROSS JOIN digits AS o)
SELECT u, CONCAT('user ', u),
  CASE WHEN u % 10 <> 0 THEN CASE u % 6 WHEN 0 THEN 'Lisboa' WHEN 1 THEN 'Zürich' WHEN 2 THEN '北京' WHEN 3 THEN 'São Paulo'
    WHEN 4 THEN 'Kraków' ELSE 'Oslo' END END,
  u * 37 % 1000 + u % 100 * 0.01, u % 7 <> 0,
  CONCAT('2024-', LPAD(u % 12 + 1, 2, '0'), '-', LPAD(u % 28 + 1, 2, '0'), ' ', LPAD(u % 24, 2, '0'), ':00:00')
FROM users ORDER BY u;
INSERT INTO demo.vertices
SELECT u.user_id, g.user_id, v.user_id, CONCAT('v', v.user_id), u.user_id % 50 + v.user_id % 10 * 0.1,
  CONCAT('2024-01-', LPAD(v.user_id, 2, '0'), ' 00:00:00.', LPAD(u.user_id * g.user_id % 1000, 3, '0'))
FROM demo.users AS u CROSS JOIN demo.users AS g CROSS JOIN demo.users AS v
WHERE g.user_id <= 3 AND v.user_id <= 10 ORDER BY u.user_id, g.user_id, v.user_id;
INSERT INTO demo.orders
SELECT u.user_id, o.user_id, CONCAT('item ', u.user_id * o.user_id % 20), (u.user_id + o.user_id) * 3 % 500 + o.user_id * 11 % 100 * 0.01,
  CONCAT('2024-', LPAD(o.user_id % 12 + 1, 2, '0'), '-', LPAD(u.user_id % 28 + 1, 2, '0'))
FROM demo.users AS u CROSS JOIN demo.users AS o WHERE o.user_id <= 5 ORDER BY u.user_id, o.user_id;
