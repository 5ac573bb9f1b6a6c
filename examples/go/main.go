// A shop's orders, by database/sql and go-sql-driver.
package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	_ "github.com/go-sql-driver/mysql"
)

type order struct {
	ID    int    `json:"id"`
	State string `json:"state"`
}

func main() {
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s:%s)/shop",
		os.Getenv("DB_USER"), os.Getenv("DB_PASSWORD"), os.Getenv("DB_HOST"), os.Getenv("DB_PORT")))
	if err != nil {
		log.Fatal(err)
	}
	read, err := db.Prepare("SELECT id, state FROM orders WHERE id = ?")
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		var found order
		err := read.QueryRow(r.PathValue("id")).Scan(&found.ID, &found.State)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			http.NotFound(w, r)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(found)
		}
	})
	http.HandleFunc("POST /orders/{id}/{state}", func(w http.ResponseWriter, r *http.Request) {
		if _, err := db.Exec("UPDATE orders SET state = ? WHERE id = ?", r.PathValue("state"), r.PathValue("id")); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
