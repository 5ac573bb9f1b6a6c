// A MySQL of another make, whose tables are in memory: server PORT [accounts]. Without accounts it lets in anybody, has no schema "mysql", and
// information_schema shows almost nothing. With them the user keyline has all rights.
package main

import (
	"context"
	"fmt"
	"os"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

func main() {
	if err := serve(os.Args[1], len(os.Args) > 2 && os.Args[2] == "accounts"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(port string, accounts bool) error {
	databases := memory.NewDBProvider()
	databases.WithOption(memory.NativeIndexProvider(true))
	engine := sqle.NewDefault(databases)
	if accounts {
		users := engine.Analyzer.Catalog.MySQLDb
		editor := users.Editor()
		users.AddSuperUser(editor, "keyline", "%", "secret")
		editor.Close()
	}
	sessions := func(_ context.Context, client *mysql.Conn, address string) (sql.Session, error) {
		of := sql.Client{Address: client.RemoteAddr().String(), User: client.User, Capabilities: client.Capabilities}
		return memory.NewSession(sql.NewBaseSessionWithClientServer(address, of, client.ConnectionID), databases), nil
	}
	config := server.Config{Protocol: "tcp", Address: "127.0.0.1:" + port}
	listening, err := server.NewServer(config, engine, sql.NewContext, sessions, nil)
	if err != nil {
		return err
	}
	return listening.Start()
}
