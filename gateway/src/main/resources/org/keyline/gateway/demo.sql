CREATE DATABASE IF NOT EXISTS demo;

CREATE TABLE IF NOT EXISTS demo.users (
    user_id BIGINT NOT NULL,
    name VARCHAR(64) NOT NULL,
    city VARCHAR(64),
    joined DATE,
    balance DECIMAL(12, 2)
) ENGINE=OLAP
UNIQUE KEY(user_id)
DISTRIBUTED BY HASH(user_id) BUCKETS 4
PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true", "store_row_column" = "true");

CREATE TABLE IF NOT EXISTS demo.vertices (
    user_id BIGINT NOT NULL,
    graph_id INT NOT NULL,
    vertex_id BIGINT NOT NULL,
    label VARCHAR(32),
    weight DOUBLE
) ENGINE=OLAP
UNIQUE KEY(user_id, graph_id, vertex_id)
DISTRIBUTED BY HASH(user_id) BUCKETS 4
PROPERTIES ("replication_num" = "1", "enable_unique_key_merge_on_write" = "true", "store_row_column" = "true");

INSERT INTO demo.users VALUES
    (1, 'Ada', 'London', '2024-03-01', 120.50),
    (2, 'Grace', 'New York', '2024-03-02', 99.00),
    (3, 'Edsger', 'Rotterdam', '2024-04-11', 0.00),
    (4, 'Barbara', 'Los Angeles', '2024-05-20', 7312.25),
    (5, 'Ibn al-Haytham', 'Basra', NULL, NULL);

INSERT INTO demo.vertices VALUES
    (1, 1, 1, 'home', 1.0),
    (1, 1, 2, 'work', 0.5),
    (1, 1, 3, 'gym', 0.25),
    (1, 2, 1, 'inbox', 2.5),
    (1, 2, 2, 'archive', 0.125),
    (2, 1, 1, 'home', 1.0),
    (2, 1, 2, 'harbour', 4.0),
    (3, 1, 1, 'home', 1.0);
