"""Reads of one row by its key, as a Python client writes them when nothing is configured."""
import os
import sys

HOST, PORT = "127.0.0.1", int(os.environ["FRAMEWORKS_PORT"])
USER, PASSWORD, SCHEMA = os.environ["FRAMEWORKS_USER"], os.environ["FRAMEWORKS_PASSWORD"], "frameworks"
READS = int(os.environ["FRAMEWORKS_READS"])


def check(row):
    assert row is not None and row[1] == "item 5", row


def dbapi(module, placeholder="%s", **more):
    """A DB-API driver: autocommit off, nobody commits."""
    connection = module.connect(host=HOST, port=PORT, user=USER, password=PASSWORD, database=SCHEMA, **more)
    cursor = connection.cursor()
    for _ in range(READS):
        cursor.execute("SELECT id, name, price FROM item WHERE id = " + placeholder, (5,))
        check(cursor.fetchone())
    connection.close()


def pymysql():
    import pymysql

    dbapi(pymysql)
    return pymysql.__version__


def mysqlclient():
    import MySQLdb

    dbapi(MySQLdb)
    return MySQLdb.__version__


def connector():
    import mysql.connector

    dbapi(mysql.connector)
    return mysql.connector.__version__


def connector_prepared():
    import mysql.connector

    connection = mysql.connector.connect(
        host=HOST, port=PORT, user=USER, password=PASSWORD, database=SCHEMA, use_pure=True
    )
    cursor = connection.cursor(prepared=True)
    for _ in range(READS):
        cursor.execute("SELECT id, name, price FROM item WHERE id = %s", (5,))
        check(cursor.fetchone())
    connection.close()
    return mysql.connector.__version__


def sqlalchemy():
    """A session for each unit of work, as web applications have."""
    import sqlalchemy
    from sqlalchemy import Numeric, String, create_engine
    from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

    class Base(DeclarativeBase):
        pass

    class Item(Base):
        __tablename__ = "item"
        id: Mapped[int] = mapped_column(primary_key=True)
        name: Mapped[str] = mapped_column(String(40))
        price: Mapped[float] = mapped_column(Numeric(10, 2))

    engine = create_engine(f"mysql+pymysql://{USER}:{PASSWORD}@{HOST}:{PORT}/{SCHEMA}")
    for _ in range(READS):
        with Session(engine) as session:
            item = session.get(Item, 5)
            check((item.id, item.name))
    return sqlalchemy.__version__


def django(atomic=False, connects=False):
    import django
    import pymysql

    # Django knows mysqlclient only; PyMySQL offers its names.
    pymysql.version_info = (2, 2, 8, "final", 0)
    pymysql.install_as_MySQLdb()
    from django.conf import settings

    settings.configure(
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.mysql",
                "NAME": SCHEMA,
                "USER": USER,
                "PASSWORD": PASSWORD,
                "HOST": HOST,
                "PORT": PORT,
                "ATOMIC_REQUESTS": False,
            }
        }
    )
    django.setup()
    from django.db import close_old_connections, models, transaction

    class Item(models.Model):
        name = models.CharField(max_length=40)
        price = models.DecimalField(max_digits=10, decimal_places=2)

        class Meta:
            app_label = "frameworks"
            db_table = "item"

    for _ in range(READS):
        if atomic:
            with transaction.atomic():
                item = Item.objects.get(pk=5)
        else:
            item = Item.objects.get(pk=5)
        check((item.id, item.name))
        if connects:
            # The end of a request closes the connection, unless CONN_MAX_AGE is set.
            close_old_connections()
    return django.__version__


def django_atomic():
    return django(atomic=True)


def django_connects():
    return django(atomic=True, connects=True)


if __name__ == "__main__":
    print(globals()[sys.argv[1]]())
