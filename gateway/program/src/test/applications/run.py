#!/usr/bin/env python3
"""
Runs servers and applications of Debian straight at a MariaDB with its binary log on, and through a
gateway with default settings. Prints, as a Markdown table, what reached the store, how many reads
hit, and whether both runs gave the same answers.

    apt install mariadb-server-core mariadb-client pdns-backend-mysql freeradius-mysql \\
        freeradius-utils postfix-mysql dovecot-mysql wordpress wordpress-theme-twentytwentythree \\
        php-cli php-mysql mediawiki phpmyadmin adminer
    pip install wagtail pymysql
    mvn -q -DskipTests package
    python3 run.py [--keyline 'java -jar keyline.jar'] [application …]

An application whose packages are missing is left out, with their names. Dovecot needs root.
Everything listens on 127.0.0.1, on six ports from --port on, has its files in a temporary directory,
and stops at the end.
"""
import argparse
import contextlib
import http.cookiejar
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[5]
RIGHTS = "SELECT, SHOW VIEW, TRIGGER, REPLICATION SLAVE, REPLICATION CLIENT"
os.environ["PATH"] += ":/usr/sbin:/sbin"


def run(*command, text=""):
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout


@contextlib.contextmanager
def process(log, *command, **options):
    """Runs a server, and stops it with its children at the end."""
    with open(log, "w") as output:
        running = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **options)
        try:
            yield running
        finally:
            running.terminate()
            running.wait()


def until(log, ready):
    """Waits until a server is ready."""
    for _ in range(600):
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            if ready():
                return
        time.sleep(0.1)
    sys.exit("not ready after a minute:\n" + pathlib.Path(log).read_text()[-2000:])


def listens(port):
    with socket.create_connection(("127.0.0.1", port)):
        return True


class Store:
    """A MariaDB of its own with its binary log on."""

    def __init__(self, directory, port, stack):
        self.port = port
        data = directory / "store"
        self.socket = directory / "store.sock"
        user = ["--user=root"] if os.getuid() == 0 else []
        run(
            "mariadb-install-db", "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
            *user,
        )
        log = directory / "store.log"
        stack.enter_context(
            process(
                log, "mariadbd", "--no-defaults", *user, f"--datadir={data}", f"--socket={self.socket}",
                f"--port={port}", "--bind-address=127.0.0.1", "--log-bin=log", "--server-id=1", "--binlog-format=ROW",
            )
        )
        until(log, lambda: self.sql("SELECT 1"))
        self.sql(
            f"CREATE USER keyline@'127.0.0.1' IDENTIFIED BY 'secret'; GRANT {RIGHTS} ON *.* TO keyline@'127.0.0.1';"
            "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'secret'; GRANT ALL ON app.* TO app@'127.0.0.1'"
        )

    def sql(self, text, database=""):
        return run("mariadb", "--no-defaults", f"-S{self.socket}", "-uroot", "-N", "-D", database, text=text)

    def counts(self):
        """Returns the numbers of statements and of SELECTs so far."""
        rows = self.sql("SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_select', 'Questions')").split()
        return int(rows[3]), int(rows[1])


@contextlib.contextmanager
def gateway(command, directory, store, port, settings):
    log = directory / "keyline.log"
    arguments = ["serve", "--store", f"mysql://127.0.0.1:{store.port}", "--store-user", "keyline"]
    arguments += ["--listen", f"127.0.0.1:{port}", "--http", f"127.0.0.1:{port + 1}"]
    arguments += [argument for setting in settings for argument in ("--set", setting)]
    environment = dict(os.environ, KEYLINE_STORE_PASSWORD="secret")
    with process(log, *shlex.split(command), *arguments, env=environment, cwd=directory):
        until(log, lambda: metric(port + 1, "keyline_signal_live") == 1)
        yield


def metric(port, name):
    """Returns the sum of a metric over its labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
        lines = page.read().decode().splitlines()
    return sum(int(float(line.split()[-1])) for line in lines if re.match(name + r"[{ ]", line))


class Application:
    """
    An application. `needs` has the files and commands of its packages. `fill` creates its tables.
    `answers` runs it at a port of the store or gateway, and yields what its clients receive.
    """

    settings = ()


class PowerDns(Application):
    """
    600 queries for 60 names, ten of which do not exist: addresses of either kind, and mail servers.
    """

    schema = "/usr/share/pdns-backend-mysql/schema/schema.mysql.sql"
    needs = {"pdns-backend-mysql": [schema, "pdns_server"]}

    def fill(self, store):
        store.sql(pathlib.Path(self.schema).read_text(), "app")
        records = [("example.org", "SOA", "ns.example.org host.example.org 1 3600 600 86400 300")]
        records += [("example.org", "NS", "ns.example.org")]
        for i in range(50):
            records += [(f"h{i}.example.org", "A", f"10.0.0.{i}"), (f"h{i}.example.org", "AAAA", f"fd00::{i}")]
        rows = ", ".join(f"(1, '{name}', '{kind}', '{content}', 300)" for name, kind, content in records)
        store.sql(
            "INSERT INTO domains (name, type) VALUES ('example.org', 'NATIVE');"
            f"INSERT INTO records (domain_id, name, type, content, ttl) VALUES {rows}",
            "app",
        )

    @contextlib.contextmanager
    def started(self, directory, database, port):
        settings = [
            "launch=gmysql", "gmysql-host=127.0.0.1", f"gmysql-port={database}", "gmysql-user=app",
            "gmysql-password=secret", "gmysql-dbname=app", "local-address=127.0.0.1", f"local-port={port}",
            f"socket-dir={directory}", f"config-dir={directory}",
            "cache-ttl=0", "query-cache-ttl=0", "negquery-cache-ttl=0",
        ]
        log = directory / "pdns.log"
        with process(log, "pdns_server", "--daemon=no", "--guardian=no", *("--" + setting for setting in settings)):
            until(log, lambda: listens(port))
            yield

    def answers(self, directory, database, port):
        with self.started(directory, database, port), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.settimeout(10)
            for number in range(600):
                labels = (f"h{number % 60}", "example", "org")
                name = b"".join(bytes([len(label)]) + label.encode() for label in labels)
                kind = (1, 28, 15)[number % 60 % 3]
                query = struct.pack(">6H", number, 0, 1, 0, 0, 0) + name + b"\0" + struct.pack(">2H", kind, 1)
                udp.sendto(query, ("127.0.0.1", port))
                yield udp.recv(4096)


class PowerDnsInAnyOrder(PowerDns):
    settings = ("filter.order=any",)


class FreeRadius(Application):
    """
    400 logins of 40 users with a group. The SQL module is in authorize and post-auth, as in
    Debian's default site.
    """

    config = pathlib.Path("/etc/freeradius/3.0")
    needs = {"freeradius-mysql": ["freeradius"], "freeradius-utils": ["radclient"]}

    def fill(self, store):
        store.sql((self.config / "mods-config/sql/main/mysql/schema.sql").read_text(), "app")
        users = range(40)
        checks = ", ".join(f"('u{i}', 'Cleartext-Password', ':=', 'p{i}')" for i in users)
        replies = ", ".join(f"('u{i}', 'Framed-IP-Address', ':=', '10.1.0.{i}')" for i in users)
        groups = ", ".join(f"('u{i}', 'staff', 1)" for i in users)
        store.sql(
            f"INSERT INTO radcheck (username, attribute, op, value) VALUES {checks};"
            f"INSERT INTO radreply (username, attribute, op, value) VALUES {replies};"
            f"INSERT INTO radusergroup (username, groupname, priority) VALUES {groups};"
            "INSERT INTO radgroupreply (groupname, attribute, op, value)"
            " VALUES ('staff', 'Session-Timeout', ':=', '3600')",
            "app",
        )

    def answers(self, directory, database, port):
        config = directory / "raddb"
        config.mkdir()
        module = (self.config / "mods-available/sql").read_text()
        module = re.sub(r"(?m)^\s*#.*\n", "", module)
        module = re.sub(r"(?s)\ttls \{.*?\n\t\t\}", "", module)
        module = module.replace('"sqlite"', '"mysql"').replace('"rlm_sql_null"', '"rlm_sql_mysql"')
        module = module.replace('radius_db = "radius"', 'radius_db = "app"')
        module = module.replace(
            "\tdialect",
            f'\tserver = "127.0.0.1"\n\tport = {database}\n\tlogin = "app"\n\tpassword = "secret"\n\tdialect',
            1,
        )
        config.joinpath("radiusd.conf").write_text(f"""
            prefix = /usr
            libdir = /usr/lib/freeradius
            raddbdir = {self.config}
            modconfdir = ${{raddbdir}}/mods-config
            run_dir = {directory}
            logdir = {directory}
            log {{
                destination = stdout
            }}
            thread pool {{
                start_servers = 5
                max_servers = 32
                min_spare_servers = 3
                max_spare_servers = 10
            }}
            client local {{
                ipaddr = 127.0.0.1
                secret = testing
            }}
            modules {{
                pap {{
                }}
                expr {{
                }}
                {module}
            }}
            server default {{
                listen {{
                    type = auth
                    ipaddr = 127.0.0.1
                    port = {port}
                }}
                authorize {{
                    sql
                    pap
                }}
                authenticate {{
                    pap
                }}
                post-auth {{
                    sql
                }}
            }}
            """)
        log = directory / "radius.log"
        with process(log, "freeradius", "-f", "-l", "stdout", "-d", str(config)):
            until(log, lambda: "Ready to process requests" in log.read_text())
            for number in range(400):
                request = f'User-Name = "u{number % 40}", User-Password = "p{number % 40}"'
                reply = run("radclient", "-x", f"127.0.0.1:{port}", "auth", "testing", text=request)
                yield reply[reply.index("Received"):].split("\n", 1)[1]


class Postfix(Application):
    """Lookups of 50 addresses ten times in three maps, over one connection for each map."""

    needs = {"postfix-mysql": ["postmap", "/usr/lib/postfix/postfix-mysql.so*"]}
    maps = {
        "domains": "SELECT 1 FROM domains WHERE name='%s'",
        "mailboxes": "SELECT maildir FROM mailboxes WHERE address='%s' AND active=1",
        "aliases": "SELECT destination FROM aliases WHERE source='%s'",
    }

    def fill(self, store):
        users = range(50)
        mailboxes = ", ".join(
            f"('u{i}@example.org', '{{PLAIN}}p{i}', 'example.org/u{i}/', {int(i % 10 != 9)})" for i in users
        )
        aliases = ", ".join(f"('u{i}@example.org', 'u{i + 1}@example.org')" for i in users if i % 5)
        store.sql(
            "CREATE TABLE domains (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100) NOT NULL);"
            "CREATE TABLE mailboxes (id INT AUTO_INCREMENT PRIMARY KEY, address VARCHAR(100) NOT NULL UNIQUE,"
            " password VARCHAR(150) NOT NULL, maildir VARCHAR(200) NOT NULL, active TINYINT(1) NOT NULL DEFAULT 1);"
            "CREATE TABLE aliases (id INT AUTO_INCREMENT PRIMARY KEY, source VARCHAR(100) NOT NULL,"
            " destination VARCHAR(100) NOT NULL, KEY source (source));"
            "INSERT INTO domains (name) VALUES ('example.org'), ('example.net');"
            f"INSERT INTO mailboxes (address, password, maildir, active) VALUES {mailboxes};"
            f"INSERT INTO aliases (source, destination) VALUES {aliases}",
            "app",
        )

    def answers(self, directory, database, port):
        config = directory / "postfix"
        config.mkdir()
        shutil.copytree("/etc/postfix/dynamicmaps.cf.d", config / "dynamicmaps.cf.d")
        config.joinpath("dynamicmaps.cf").write_text(pathlib.Path("/etc/postfix/dynamicmaps.cf").read_text())
        config.joinpath("main.cf").write_text("compatibility_level = 3.6\n")
        keys = [f"u{number % 55}@example.org\n" for number in range(550)]
        for name, query in self.maps.items():
            config.joinpath(name).write_text(
                f"hosts = inet:127.0.0.1:{database}\nuser = app\npassword = secret\ndbname = app\nquery = {query}\n"
            )
            asked = ["example.org\n", "example.com\n"] * 100 if name == "domains" else keys
            found = subprocess.run(
                ["postmap", "-c", str(config), "-q", "-", f"mysql:{config / name}"],
                input="".join(asked), text=True, capture_output=True,
            )
            yield from (found.stdout + found.stderr).splitlines()


class Dovecot(Postfix):
    """400 logins of 40 users, one in ten with a wrong password, and as many user lookups."""

    needs = {"dovecot-mysql": ["dovecot", "/usr/lib/dovecot/modules/auth/libdriver_mysql.so"]}

    def answers(self, directory, database, port):
        config = directory / "dovecot.conf"
        sql = directory / "dovecot-sql.conf"
        config.write_text(f"""
            base_dir = {directory}/dovecot
            log_path = {directory}/dovecot.log
            protocols =
            ssl = no
            auth_failure_delay = 0
            passdb {{
              driver = sql
              args = {sql}
            }}
            userdb {{
              driver = sql
              args = {sql}
            }}
            """)
        sql.write_text(
            f"driver = mysql\nconnect = host=127.0.0.1 port={database} dbname=app user=app password=secret\n"
            "password_query = SELECT address AS user, password FROM mailboxes WHERE address = '%u' AND active = 1\n"
            "user_query = SELECT '/var/mail' AS home, 5000 AS uid, 5000 AS gid, maildir FROM mailboxes"
            " WHERE address = '%u' AND active = 1\n"
            "iterate_query = SELECT address AS user FROM mailboxes\n"
        )
        with process(directory / "dovecot.out", "dovecot", "-F", "-c", str(config)):
            until(directory / "dovecot.log", lambda: (directory / "dovecot/auth-userdb").is_socket())
            for number in range(400):
                user = f"u{number % 40}@example.org"
                password = f"p{number % 40}" if number % 10 else "wrong"
                for command in (["auth", "test", user, password], ["user", user]):
                    found = subprocess.run(["doveadm", "-c", str(config), *command], text=True, capture_output=True)
                    yield found.stdout + found.stderr


def shop(store):
    """Creates five tables of 60 rows."""
    rows = ", ".join(f"('row {i}', {i % 7})" for i in range(60))
    for i in range(5):
        store.sql(
            f"CREATE TABLE t{i} (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40), n INT, KEY (n));"
            f"INSERT INTO t{i} (name, n) VALUES {rows}",
            "app",
        )


@contextlib.contextmanager
def served(directory, site, port):
    """Serves the PHP files of a directory; yields a browser."""
    log = directory / "php.log"
    with process(log, "php", "-d", "display_errors=stderr", "-S", f"127.0.0.1:{port}", "-t", str(site)):
        until(log, lambda: listens(port))
        yield urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def copied(site, directory):
    target = directory / "site"
    shutil.copytree(site, target, symlinks=False, ignore_dangling_symlinks=True)
    return target


PHP = {"php-cli": ["php"], "php-mysql": ["/usr/lib/php/20*/mysqli.so"]}


class Adminer(Application):
    """100 pages: the tables, rows of a table, its structure, and one row to edit."""

    needs = {"adminer": ["/usr/share/adminer/adminer.php"], **PHP}

    def fill(self, store):
        shop(store)

    def answers(self, directory, database, port):
        login = {"driver": "server", "server": f"127.0.0.1:{database}", "username": "app", "password": "secret"}
        form = urllib.parse.urlencode({f"auth[{name}]": value for name, value in [*login.items(), ("db", "app")]})
        pages = ["", *(f"&select=t{i}" for i in range(5)), "&table=t1", "&edit=t1&where%5Bid%5D=3"]
        pages += ["&select=t1&where%5B0%5D%5Bcol%5D=n&where%5B0%5D%5Bop%5D=%3D&where%5B0%5D%5Bval%5D=3"]
        pages += ["&select=t2&page=1"]
        with served(directory, "/usr/share/adminer", port) as browser:
            base = f"http://127.0.0.1:{port}/adminer.php"
            browser.open(base, form.encode()).read()
            for number in range(100):
                query = f"?server=127.0.0.1%3A{database}&username=app&db=app" + pages[number % 10]
                page = browser.open(base + query).read().decode()
                # Times, tokens and the port differ.
                yield re.sub(r"(?s)<script.*?</script>|value=.[0-9:]+.>|[0-9a-f.:]{5,}", "", page)


class PhpMyAdmin(Application):
    """100 pages: the start page, the tables, rows of a table, its structure, and a search form."""

    needs = {"phpmyadmin": ["/usr/share/phpmyadmin/index.php"], **PHP}

    def fill(self, store):
        shop(store)

    def answers(self, directory, database, port):
        site = copied("/usr/share/phpmyadmin", directory)
        vendor = site / "libraries/vendor_config.php"
        vendor.write_text(
            vendor.read_text()
            .replace("/etc/phpmyadmin/config.inc.php", str(directory / "config.inc.php"))
            .replace("/var/lib/phpmyadmin/tmp/", f"{directory}/")
        )
        directory.joinpath("config.inc.php").write_text(f"""<?php
            $cfg['blowfish_secret'] = '01234567890123456789012345678901';
            $cfg['Servers'][1] = ['host' => '127.0.0.1', 'port' => '{database}', 'auth_type' => 'config',
                'user' => 'app', 'password' => 'secret'];
            $cfg['VersionCheck'] = false;
            $cfg['SendErrorReports'] = 'never';
            """)
        pages = ["/", "/database/structure&db=app", *(f"/sql&db=app&table=t{i}" for i in range(5))]
        pages += ["/table/structure&db=app&table=t1", "/table/search&db=app&table=t2", "/server/databases"]
        with served(directory, site, port) as browser:
            base = f"http://127.0.0.1:{port}/index.php?route="
            browser.open(base + "/").read()
            for number in range(100):
                page = browser.open(base + pages[number % 10]).read().decode()
                # Tokens and times differ, so only the data of the page is compared.
                yield re.findall(r"<td [^>]*class=.[^>]*data[^>]*>[^<]*", page)


class MediaWiki(Application):
    """100 pages of visitors."""

    needs = {"mediawiki": ["/usr/share/mediawiki/index.php"], **PHP}
    port = None

    def __init__(self):
        self.dump = None
        self.settings_file = None

    def fill(self, store):
        if self.dump is not None:
            store.sql(self.dump, "app")
            return
        with tempfile.TemporaryDirectory() as name:
            site = copied("/usr/share/mediawiki", pathlib.Path(name))
            site.joinpath("LocalSettings.php").unlink(missing_ok=True)
            arguments = ["--confpath", site, "--dbtype", "mysql", "--dbserver", f"127.0.0.1:{store.port}"]
            arguments += ["--dbname", "app", "--dbuser", "app", "--dbpass", "secret", "--pass", "long password 77"]
            arguments += ["--scriptpath", "", "--server", f"http://127.0.0.1:{self.port}", "Wiki", "Admin"]
            run("php", site / "maintenance/install.php", *map(str, arguments))
            for i in range(9):
                text = f"Text {i} of [[Page{(i + 1) % 9}]] and [[Nowhere]]. " * 20
                run("php", site / "maintenance/edit.php", "-u", "Admin", f"Page{i}", text=text)
            self.settings_file = site.joinpath("LocalSettings.php").read_text()
        self.dump = run("mariadb-dump", "--no-defaults", "--hex-blob", f"-S{store.socket}", "-uroot", "app")

    def answers(self, directory, database, port):
        site = copied("/usr/share/mediawiki", directory)
        site.joinpath("LocalSettings.php").unlink(missing_ok=True)
        settings = re.sub(r"\$wgDBserver = .*", f'$wgDBserver = "127.0.0.1:{database}";', self.settings_file)
        site.joinpath("LocalSettings.php").write_text(settings)
        titles = ["Main_Page", *(f"Page{i}" for i in range(9))]
        with served(directory, site, port) as browser:
            for number in range(100):
                page = browser.open(f"http://127.0.0.1:{port}/index.php?title={titles[number % 10]}").read().decode()
                yield re.findall(r"(?s)mw-parser-output.*?<!--", page)


class Migrate(Application):
    """The command `migrate` of Django with the applications of its start project."""

    needs = {}
    python = sys.executable
    installed = [f"django.contrib.{name}" for name in ("admin", "auth", "contenttypes", "sessions", "messages")]

    def fill(self, store):
        pass

    def answers(self, directory, database, port):
        run(self.python, "-c", f"""
import pymysql
pymysql.version_info = (2, 2, 1, "final", 0)
pymysql.install_as_MySQLdb()
import django
from django.conf import settings
from django.core.management import call_command
engine = dict(ENGINE="django.db.backends.mysql", HOST="127.0.0.1", PORT="{database}", USER="app", PASSWORD="secret")
settings.configure(
    SECRET_KEY="x", USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.AutoField", INSTALLED_APPS={self.installed},
    DATABASES=dict(default=dict(engine, NAME="app")), WAGTAIL_SITE_NAME="site", WAGTAILADMIN_BASE_URL="http://x",
    ROOT_URLCONF="none", MEDIA_ROOT="{directory}", STATIC_URL="/static/",
    TEMPLATES=[dict(BACKEND="django.template.backends.django.DjangoTemplates", APP_DIRS=True)],
)
django.setup()
call_command("migrate", verbosity=0, interactive=False)
""")
        yield "migrated"


class WagtailMigrate(Migrate):
    """The command `migrate` of Django with the applications of Wagtail."""

    parts = "contrib.forms contrib.redirects embeds sites users snippets documents images search admin"
    installed = [*(f"wagtail.{part}" for part in parts.split()), "wagtail", "modelcluster", "taggit"]
    installed += Migrate.installed


class CreateTables(Application):
    """50 CREATE TABLE over one connection."""

    needs = {}

    def fill(self, store):
        pass

    def answers(self, directory, database, port):
        text = "".join(f"CREATE TABLE c{i} (id INT PRIMARY KEY, v INT);\n" for i in range(50))
        yield run(
            "mariadb", "--no-defaults", "-h127.0.0.1", f"-P{database}", "-uapp", "-psecret", "app", text=text
        )


class WordPress(Application):
    """100 pages of visitors, and an editor who opens and saves a post after every tenth of them."""

    theme = "/usr/share/wordpress/wp-content/themes/twentytwentythree"
    needs = {
        "wordpress": ["/usr/share/wordpress/wp-load.php"],
        "wordpress-theme-twentytwentythree": [theme],
        **PHP,
    }
    port = None

    def __init__(self):
        self.dump = None

    def site(self, directory, database, port):
        """Writes the program's files; returns their directory."""
        site = directory / "site"
        shutil.copytree("/usr/share/wordpress", site, ignore_dangling_symlinks=True)
        salts = "".join(
            f"define('{name}_{kind}', 'constant');"
            for name in ("AUTH", "SECURE_AUTH", "LOGGED_IN", "NONCE")
            for kind in ("KEY", "SALT")
        )
        site.joinpath("wp-config.php").write_text(f"""<?php
            define('DB_NAME', 'app'); define('DB_USER', 'app'); define('DB_PASSWORD', 'secret');
            define('DB_HOST', '127.0.0.1:{database}'); define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
            define('WP_HOME', 'http://127.0.0.1:{port}'); define('WP_SITEURL', WP_HOME);
            define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true);
            define('AUTOMATIC_UPDATER_DISABLED', true);
            {salts}
            $table_prefix = 'wp_';
            define('ABSPATH', __DIR__ . '/');
            require_once ABSPATH . 'wp-settings.php';
            """)
        return site

    def fill(self, store):
        if self.dump is None:
            with tempfile.TemporaryDirectory() as directory:
                site = self.site(pathlib.Path(directory), store.port, self.port)
                run("php", "-d", "display_errors=stderr", text=f"""<?php
                    define('WP_INSTALLING', true);
                    $_SERVER['HTTP_HOST'] = '127.0.0.1';
                    require '{site}/wp-load.php';
                    require ABSPATH . 'wp-admin/includes/upgrade.php';
                    function wp_mail() {{ return true; }}
                    wp_install('Site', 'editor', 'editor@example.org', true, '', 'secret');
                    update_option('show_avatars', 0); // their hosts are random
                    $tags = ['red', 'green', 'blue'];
                    for ($i = 0; $i < 20; $i++) {{
                        $post = wp_insert_post(['post_title' => "Post $i", 'post_status' => 'publish',
                            'post_author' => 1, 'post_content' => str_repeat("Text $i. ", 50),
                            'tags_input' => [$tags[$i % 3]], 'post_date' => sprintf('2026-01-%02d 12:00:00', $i + 1)]);
                        wp_insert_comment(['comment_post_ID' => $post, 'comment_content' => "Comment $i",
                            'comment_author' => 'visitor']);
                    }}
                    """)
            self.dump = run("mariadb-dump", "--no-defaults", "--hex-blob", f"-S{store.socket}", "-uroot", "app")
        else:
            store.sql(self.dump, "app")

    def answers(self, directory, database, port):
        self.site(directory, database, port)
        log = directory / "php.log"
        with process(log, "php", "-S", f"127.0.0.1:{port}", "-t", str(directory / "site")):
            until(log, lambda: listens(port))
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
            base = f"http://127.0.0.1:{port}/"
            form = urllib.parse.urlencode({"log": "editor", "pwd": "secret", "testcookie": "1"}).encode()
            browser.open(base + "wp-login.php").read()
            browser.open(base + "wp-login.php", form).read()
            posts = re.findall(r"\?p=(\d+)", urllib.request.urlopen(base).read().decode())
            posts = sorted(set(posts), key=int)
            paths = ["", "?paged=2", "?tag=red", "?cat=1", *(f"?p={post}" for post in posts[:6])]
            for number in range(100):
                yield urllib.request.urlopen(base + paths[number % 10]).read()
                if number % 10 == 9:
                    post = posts[number // 10 % len(posts)]
                    browser.open(base + f"wp-admin/post.php?post={post}&action=edit").read()
                    nonce = browser.open(base + "wp-admin/admin-ajax.php?action=rest-nonce").read().decode()
                    saved = urllib.request.Request(
                        base + f"index.php?rest_route=/wp/v2/posts/{post}",
                        json.dumps({"content": f"Saved after {number} pages."}).encode(),
                        {"Content-Type": "application/json", "X-WP-Nonce": nonce},
                    )
                    browser.open(saved).read()


APPLICATIONS = {
    "powerdns": ("PowerDNS, its own caches off", PowerDns),
    "powerdns_any": ("the same with `filter.order=any`", PowerDnsInAnyOrder),
    "freeradius": ("FreeRADIUS", FreeRadius),
    "postfix": ("Postfix", Postfix),
    "dovecot": ("Dovecot", Dovecot),
    "wordpress": ("WordPress", WordPress),
    "mediawiki": ("MediaWiki", MediaWiki),
    "phpmyadmin": ("phpMyAdmin", PhpMyAdmin),
    "adminer": ("Adminer", Adminer),
    "migrate": ("Django, `migrate`", Migrate),
    "wagtail_migrate": ("Wagtail, `migrate`", WagtailMigrate),
    "create_tables": ("50 CREATE TABLE", CreateTables),
}
STORE = {"mariadb-server-core": ["mariadbd", "mariadb-install-db"], "mariadb-client": ["mariadb", "mariadb-dump"]}


def missing(needs):
    """Returns the packages of which a file or command does not exist."""
    def exists(what):
        return any(pathlib.Path("/").glob(what[1:])) if what.startswith("/") else shutil.which(what)

    return [package for package, whats in needs.items() if not all(map(exists, whats))]


def measured(options, store, application, through):
    """Runs an application; returns the numbers of statements, SELECTs and hits, and the answers."""
    store.sql("DROP DATABASE IF EXISTS app; CREATE DATABASE app")
    application.fill(store)
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        directory = pathlib.Path(name)
        directory.chmod(0o755)
        if through:
            stack.enter_context(gateway(options.keyline, directory, store, options.port + 1, application.settings))
        store.counts()
        before = store.counts()
        own_statements = store.counts()[0] - before[0]
        before = store.counts()
        answers = list(application.answers(directory, options.port + through, options.port + 4))
        after = store.counts()
        hits = metric(options.port + 2, "keyline_table_hits_total") if through else 0
        return after[0] - before[0] - own_statements, after[1] - before[1], hits, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--keyline", default=f"java -jar {ROOT / 'gateway/target/keyline.jar'}", help="the command without arguments"
    )
    parser.add_argument("--python", default=sys.executable, help="the Python that has Wagtail")
    parser.add_argument("--port", type=int, default=23400, help="the first of six ports")
    parser.add_argument("applications", nargs="*", choices=[*APPLICATIONS, []])
    options = parser.parse_args()
    if missing(STORE):
        sys.exit("Please install " + " ".join(missing(STORE)))
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        pathlib.Path(name).chmod(0o755)
        store = Store(pathlib.Path(name), options.port, stack)
        print("| application | statements straight | through | SELECTs straight | through | hits | equal answers |")
        print("|---|--:|--:|--:|--:|--:|--:|")
        for key in options.applications or APPLICATIONS:
            title, kind = APPLICATIONS[key]
            if missing(kind.needs):
                print(f"| {title} | please install {' '.join(missing(kind.needs))} |", flush=True)
                continue
            application = kind()
            application.port = options.port + 4
            application.python = options.python
            straight = measured(options, store, application, False)
            through = measured(options, store, application, True)
            equal = sum(a == b for a, b in zip(straight[3], through[3]))
            print(
                f"| {title} | {straight[0]:,} | {through[0]:,} | {straight[1]:,} | {through[1]:,} | {through[2]:,} |"
                f" {equal:,} of {max(len(straight[3]), len(through[3])):,} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
