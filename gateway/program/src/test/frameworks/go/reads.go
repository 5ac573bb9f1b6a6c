// Reads of one row by its key, as a Go client writes them when nothing is configured.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	gormmysql "gorm.io/driver/mysql"
	"gorm.io/gorm"
)

const query = "SELECT id, name, price FROM item WHERE id = ?"

type Item struct {
	ID    int
	Name  string
	Price string
}

func (Item) TableName() string { return "item" }

func check(item Item, err error) {
	if err != nil || item.Name != "item 5" {
		panic(fmt.Sprint(item, err))
	}
}

func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if strings.HasPrefix(dependency.Path, module) {
			return dependency.Version
		}
	}
	return ""
}

func open(parameters string) (*sql.DB, string) {
	dsn := fmt.Sprintf("%s:%s@tcp(127.0.0.1:%s)/frameworks%s", os.Getenv("FRAMEWORKS_USER"),
		os.Getenv("FRAMEWORKS_PASSWORD"), os.Getenv("FRAMEWORKS_PORT"), parameters)
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		panic(err)
	}
	db.SetMaxOpenConns(1)
	return db, dsn
}

func main() {
	reads, err := strconv.Atoi(os.Getenv("FRAMEWORKS_READS"))
	if err != nil {
		panic(err)
	}
	clients := map[string]func() string{
		"sql": func() string {
			db, _ := open("")
			for i := 0; i < reads; i++ {
				var item Item
				err := db.QueryRow(query, 5).Scan(&item.ID, &item.Name, &item.Price)
				check(item, err)
			}
			return version("github.com/go-sql-driver/mysql")
		},
		"sql_time_zone": func() string {
			db, _ := open("?time_zone=%27%2B00%3A00%27")
			for i := 0; i < reads; i++ {
				var item Item
				err := db.QueryRow(query, 5).Scan(&item.ID, &item.Name, &item.Price)
				check(item, err)
			}
			return version("github.com/go-sql-driver/mysql")
		},
		"sql_tx": func() string {
			db, _ := open("")
			for i := 0; i < reads; i++ {
				tx, err := db.BeginTx(context.Background(), nil)
				if err != nil {
					panic(err)
				}
				var item Item
				err = tx.QueryRow(query, 5).Scan(&item.ID, &item.Name, &item.Price)
				check(item, err)
				if err = tx.Commit(); err != nil {
					panic(err)
				}
			}
			return version("github.com/go-sql-driver/mysql")
		},
		"sqlx": func() string {
			db, _ := open("")
			x := sqlx.NewDb(db, "mysql")
			for i := 0; i < reads; i++ {
				var item Item
				err := x.Get(&item, query, 5)
				check(item, err)
			}
			return version("github.com/jmoiron/sqlx")
		},
		"gorm": func() string {
			_, dsn := open("")
			db, err := gorm.Open(gormmysql.Open(dsn), &gorm.Config{})
			if err != nil {
				panic(err)
			}
			for i := 0; i < reads; i++ {
				var item Item
				err := db.First(&item, 5).Error
				check(item, err)
			}
			return version("gorm.io/gorm")
		},
		"gorm_transaction": func() string {
			_, dsn := open("")
			db, err := gorm.Open(gormmysql.Open(dsn), &gorm.Config{})
			if err != nil {
				panic(err)
			}
			for i := 0; i < reads; i++ {
				var item Item
				err := db.Transaction(func(tx *gorm.DB) error { return tx.First(&item, 5).Error })
				check(item, err)
			}
			return version("gorm.io/gorm")
		},
	}
	fmt.Println(clients[os.Args[1]]())
}
