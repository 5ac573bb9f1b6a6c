#!/usr/bin/env python3
"""
Runs clients against a gateway and tells, as a Markdown table, how many of the twenty reads of each came from lines.

    pip install pymysql mysqlclient mysql-connector-python sqlalchemy django
    (cd node && npm install && npx prisma generate --schema item.prisma)
    apt install ruby-activerecord ruby-mysql2
    (cd java && mvn compile dependency:build-classpath -Dmdep.outputFile=target/classpath)
    python3 run.py --port 9030 --user root [client …]

The gateway may stand in front of anything; the schema `frameworks` is made there anew. Needs the client `mysql`, Node, Go, Ruby
and Rust for theirs.
"""
import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PYTHON = ["pymysql", "mysqlclient", "connector", "connector_prepared", "sqlalchemy", "django", "django_atomic"]
NODE = ["mysql2_query", "mysql2_execute", "mariadb", "sequelize", "typeorm", "knex", "prisma"]
JAVA = ["connector_j", "connector_j_prepared", "connector_mariadb", "hibernate", "spring_data_jpa", "mybatis", "jooq"]
RUBY = ["active_record", "active_record_prepared"]
GO = ["sql", "sql_time_zone", "sql_tx", "sqlx", "gorm"]


def sql(options, text):
    command = ["mysql", "-h127.0.0.1", f"-P{options.port}", f"-u{options.user}", "-N"]
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
        f"INSERT INTO item VALUES {rows};",
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9030)
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
        commands |= {name: (java + [name], "java") for name in JAVA}
    environment = dict(
        os.environ,
        FRAMEWORKS_PORT=str(options.port),
        FRAMEWORKS_USER=options.user,
        FRAMEWORKS_PASSWORD=options.password,
    )
    prepare(options)
    print("| client | version | from lines |\n|---|---|--:|")
    for name in options.clients or commands:
        command, directory = commands[name]
        before = hits(options)
        run = subprocess.run(command, cwd=HERE / directory, env=environment, text=True, capture_output=True)
        if run.returncode != 0:
            lines = (run.stderr or run.stdout).strip().splitlines()
            print(f"| {name} | | failed: {lines[-1] if lines else ''} |", flush=True)
        else:
            print(f"| {name} | {run.stdout.strip().splitlines()[-1]} | {hits(options) - before} |", flush=True)


main()
