"""A shop's orders, by Django's ORM: python shop.py runserver 8080"""
import os

import django
import pymysql
from django.conf import settings

# Django asks for a version of mysqlclient, in whose place PyMySQL stands here.
pymysql.version_info = (2, 2, 1, "final", 0)
pymysql.install_as_MySQLdb()
settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.mysql",
            "HOST": os.environ["DB_HOST"],
            "PORT": os.environ["DB_PORT"],
            "USER": os.environ["DB_USER"],
            "PASSWORD": os.environ["DB_PASSWORD"],
            "NAME": "shop",
            "CONN_MAX_AGE": 60,
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    ROOT_URLCONF=__name__,
    SECRET_KEY="an example",
)
django.setup()

from django.db import models  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.shortcuts import get_object_or_404  # noqa: E402
from django.urls import path  # noqa: E402


class Order(models.Model):
    id = models.IntegerField(primary_key=True)
    state = models.CharField(max_length=20)

    class Meta:
        app_label = "shop"
        db_table = "orders"


def show(request, id):
    order = get_object_or_404(Order, id=id)
    return JsonResponse({"id": order.id, "state": order.state})


def change(request, id, state):
    order = get_object_or_404(Order, id=id)
    order.state = state
    order.save()
    return HttpResponse(status=204)


urlpatterns = [path("orders/<int:id>", show), path("orders/<int:id>/<str:state>", change)]

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    execute_from_command_line()
