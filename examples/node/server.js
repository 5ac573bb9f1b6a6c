// A shop's orders, by mysql2 with a pool and prepared statements.
import http from 'node:http';
import mysql from 'mysql2/promise';

const { DB_HOST, DB_PORT, DB_USER, DB_PASSWORD, PORT } = process.env;
const pool = mysql.createPool({
  host: DB_HOST, port: Number(DB_PORT), user: DB_USER, password: DB_PASSWORD, database: 'shop', connectionLimit: 4,
});

async function answer(request, response) {
  const [, name, id, state] = request.url.split('/');
  if (name !== 'orders' || !id) {
    response.writeHead(404).end();
  } else if (request.method === 'POST') {
    await pool.execute('UPDATE orders SET state = ? WHERE id = ?', [state, Number(id)]);
    response.writeHead(204).end();
  } else {
    const [rows] = await pool.execute('SELECT id, state FROM orders WHERE id = ?', [Number(id)]);
    response.writeHead(rows.length ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(rows[0] ?? null));
  }
}

http.createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(500).end(error.message));
}).listen(Number(PORT), '127.0.0.1');
