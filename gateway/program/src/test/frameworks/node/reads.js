// Reads of one row by its key, as a Node client writes them when nothing is configured.
const host = "127.0.0.1", port = Number(process.env.FRAMEWORKS_PORT);
const user = process.env.FRAMEWORKS_USER, password = process.env.FRAMEWORKS_PASSWORD;
const database = "frameworks", READS = Number(process.env.FRAMEWORKS_READS);
const SQL = "SELECT id, name, price FROM item WHERE id = ?";

// Some packages do not let their package.json be required.
function version(name) {
  return JSON.parse(require("fs").readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
}

function check(row) {
  if (!row || row.name !== "item 5") throw new Error("row: " + JSON.stringify(row));
}

const clients = {
  async mysql2_query() {
    const connection = await require("mysql2/promise").createConnection({ host, port, user, password, database });
    for (let i = 0; i < READS; i++) check((await connection.query(SQL, [5]))[0][0]);
    await connection.end();
    return version("mysql2");
  },
  async mysql2_execute() {
    const connection = await require("mysql2/promise").createConnection({ host, port, user, password, database });
    for (let i = 0; i < READS; i++) check((await connection.execute(SQL, [5]))[0][0]);
    await connection.end();
    return version("mysql2");
  },
  async mariadb() {
    const connection = await require("mariadb").createConnection({ host, port, user, password, database });
    for (let i = 0; i < READS; i++) check((await connection.query(SQL, [5]))[0]);
    await connection.end();
    return version("mariadb");
  },
  async sequelize() {
    const { Sequelize, DataTypes } = require("sequelize");
    const sequelize = new Sequelize(database, user, password, { host, port, dialect: "mysql", logging: false });
    const Item = sequelize.define("item", { name: DataTypes.STRING(40), price: DataTypes.DECIMAL(10, 2) },
      { freezeTableName: true, timestamps: false });
    for (let i = 0; i < READS; i++) check(await Item.findByPk(5));
    await sequelize.close();
    return version("sequelize");
  },
  async sequelize_transaction() {
    const { Sequelize, DataTypes } = require("sequelize");
    const sequelize = new Sequelize(database, user, password, { host, port, dialect: "mysql", logging: false });
    const Item = sequelize.define("item", { name: DataTypes.STRING(40), price: DataTypes.DECIMAL(10, 2) },
      { freezeTableName: true, timestamps: false });
    for (let i = 0; i < READS; i++)
      check(await sequelize.transaction((transaction) => Item.findByPk(5, { transaction })));
    await sequelize.close();
    return version("sequelize");
  },
  async typeorm() {
    const { DataSource, EntitySchema } = require("typeorm");
    const Item = new EntitySchema({ name: "item", columns: { id: { type: Number, primary: true, generated: true },
      name: { type: String, length: 40 }, price: { type: "decimal", precision: 10, scale: 2 } } });
    const source = new DataSource({ type: "mysql", host, port, username: user, password, database, entities: [Item] });
    await source.initialize();
    for (let i = 0; i < READS; i++) check(await source.getRepository(Item).findOneBy({ id: 5 }));
    await source.destroy();
    return version("typeorm");
  },
  async knex() {
    const knex = require("knex")({ client: "mysql2", connection: { host, port, user, password, database } });
    for (let i = 0; i < READS; i++) check(await knex("item").where("id", 5).first());
    await knex.destroy();
    return version("knex");
  },
  async prisma() {
    const { PrismaClient } = require("@prisma/client");
    const { PrismaMariaDb } = require("@prisma/adapter-mariadb");
    const prisma = new PrismaClient({ adapter: new PrismaMariaDb({ host, port, user, password, database }) });
    for (let i = 0; i < READS; i++) check(await prisma.item.findUnique({ where: { id: 5 } }));
    await prisma.$disconnect();
    return version("@prisma/client");
  },
};

clients[process.argv[2]]().then(console.log, (error) => { console.error(error); process.exit(1); });
