#!/usr/bin/env python3
"""
Runs clients against a gateway and tells, as a Markdown table, how many of the twenty reads of each came from lines.
With --store PORT, counts the statements that this MariaDB or MySQL receives for 2,000 requests instead, straight and
through the gateway in front of it, after 200 as a warm-up.

    pip install pymysql mysqlclient mysql-connector-python sqlalchemy django
    (cd node && npm install && npx prisma generate --schema item.prisma)
    apt install ruby-activerecord ruby-mysql2 php-illuminate-database php-mysql
    (cd java && mvn compile dependency:build-classpath -Dmdep.outputFile=target/classpath)
    python3 run.py --port 9030 [--store 3306] --user root [client …]

The gateway may stand in front of anything; the schema `frameworks` is made there anew. Needs the client `mysql`, Node, Go, PHP,
Ruby and Rust for theirs.
"""
import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PYTHON = ["pymysql", "mysqlclient", "connector", "connector_prepared", "sqlalchemy", "django", "django_atomic"]
PYTHON += ["django_connects"]
NODE = ["mysql2_query", "mysql2_execute", "mariadb", "sequelize", "sequelize_transaction", "typeorm", "knex", "prisma"]
JAVA = ["connector_j", "connector_j_prepared", "connector_mariadb", "hibernate", "spring_data_jpa", "mybatis", "jooq"]
SPRING = ["spring_data_jpa", "spring_page", "spring_page_in_2", "spring_page_in_10"]
RUBY = ["active_record", "active_record_prepared"]
GO = ["sql", "sql_time_zone", "sql_tx", "sqlx", "gorm", "gorm_transaction"]
REQUESTS, WARM = 2000, 200


def sql(options, text, port=None):
    command = ["mysql", "-h127.0.0.1", f"-P{port or options.port}", f"-u{options.user}", "-N"]
    environment = dict(os.environ, MYSQL_PWD=options.password)
    return subprocess.run(
        command, input=text, env=environment, text=True, capture_output=True, check=True
    ).stdout


def hits(options):
    return int(sql(options, "SHOW STATUS LIKE 'Keyline_hits'").split()[1])


def prepare(options):
    rows = ", ".join(f"({i}, 'item {i}', {i}.50)" for i in range(1, 51))
    sql(
        options,
        "DROP DATABASE IF EXISTS frameworks; CREATE DATABASE frameworks CHARACTER SET utf8mb4; USE frameworks;"
        "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(40), price DECIMAL(10, 2));"
        f"INSERT INTO item VALUES {rows};"
        "CREATE TABLE Owner (id INT PRIMARY KEY, name VARCHAR(40)); INSERT INTO Owner VALUES (5, 'item 5');"
        "CREATE TABLE Kind (id INT PRIMARY KEY, name VARCHAR(40));"
        "INSERT INTO Kind VALUES (1, 'item 5'), (2, 'item 5'), (3, 'item 5');"
        "CREATE TABLE Pet (id INT PRIMARY KEY, owner INT, kind INT, name VARCHAR(40), KEY (owner));"
        "INSERT INTO Pet VALUES (1, 5, 2, 'item 5');",
    )


def client(options, command, directory, port, reads):
    environment = dict(
        os.environ,
        FRAMEWORKS_PORT=str(port),
        FRAMEWORKS_READS=str(reads),
        FRAMEWORKS_USER=options.user,
        FRAMEWORKS_PASSWORD=options.password,
    )
    return subprocess.run(command, cwd=HERE / directory, env=environment, text=True, capture_output=True)


def questions(options):
    return int(sql(options, "SHOW GLOBAL STATUS LIKE 'Questions'", options.store).split()[1])


def statements(options, command, directory):
    """Returns the last run, and the statements of 2,000 requests straight and through the gateway."""
    counted = []
    for port in (options.store, options.port):
        run = client(options, command, directory, port, WARM)
        before = questions(options)
        if run.returncode == 0:
            run = client(options, command, directory, port, REQUESTS)
        # The question itself is a statement.
        counted.append(questions(options) - before - 1)
    return run, counted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9030)
    parser.add_argument("--store", type=int, help="count statements at this port")
    parser.add_argument("--user", default="root")
    parser.add_argument("--password", default="")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("clients", nargs="*")
    options = parser.parse_args()
    commands = {name: ([options.python, "reads.py", name], "python") for name in PYTHON}
    commands |= {name: (["node", "reads.js", name], "node") for name in NODE}
    commands |= {"go_" + name: (["go", "run", ".", name], "go") for name in GO}
    commands |= {name: (["ruby", "reads.rb", name], "ruby") for name in RUBY}
    commands |= {"rust_sqlx": (["cargo", "run", "-q", "--release"], "rust")}
    classpath = HERE / "java/target/classpath"
    if classpath.exists():
        java = ["java", "-cp", "target/classes:" + classpath.read_text().strip(), "frameworks.Reads"]
        commands |= {name: (java + [name], "java") for name in JAVA + SPRING}
        committed = ["java", "-Disolation=TRANSACTION_READ_COMMITTED"] + java[1:]
        commands |= {name + "_read_committed": (committed + [name], "java") for name in SPRING}
    commands["laravel"] = (["php", "reads.php"], "php")
    prepare(options)
    if options.store:
        print("| client | version | direct | through Keyline | share |\n|---|---|--:|--:|--:|")
    else:
        print("| client | version | from lines |\n|---|---|--:|")
    for name in options.clients or commands:
        command, directory = commands[name]
        before = hits(options)
        if options.store:
            run, (direct, through) = statements(options, command, directory)
        else:
            run = client(options, command, directory, options.port, 20)
        if run.returncode != 0:
            lines = (run.stderr or run.stdout).strip().splitlines()
            print(f"| {name} | | failed: {lines[-1] if lines else ''} |", flush=True)
            continue
        version = run.stdout.strip().splitlines()[-1]
        if options.store:
            print(f"| {name} | {version} | {direct:,} | {through:,} | {through / direct:.2f} |", flush=True)
        else:
            print(f"| {name} | {version} | {hits(options) - before} |", flush=True)


main()
