<?php
// Reads of one row by its key, as Laravel's database layer writes them when nothing is configured. Each request of PHP
// has its own connection.
require "/usr/share/php/Illuminate/Database/autoload.php";

$manager = new Illuminate\Database\Capsule\Manager();
$manager->addConnection([
    "driver" => "mysql", "host" => "127.0.0.1", "port" => getenv("FRAMEWORKS_PORT"), "database" => "frameworks",
    "username" => getenv("FRAMEWORKS_USER"), "password" => getenv("FRAMEWORKS_PASSWORD"),
    // The values of Laravel's config/database.php.
    "charset" => "utf8mb4", "collation" => "utf8mb4_unicode_ci", "prefix" => "", "strict" => true, "engine" => null,
]);
for ($i = 0; $i < (int) getenv("FRAMEWORKS_READS"); $i++) {
    if ($manager->getConnection()->table("item")->find(5)->name !== "item 5") {
        throw new Exception("wrong row");
    }
    $manager->getDatabaseManager()->purge();
}
echo PHP_VERSION, "\n";
