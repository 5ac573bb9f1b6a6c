<?php
// A shop's orders. Each request opens a connection: php -S 127.0.0.1:8080 index.php
$db = new PDO(
    sprintf('mysql:host=%s;port=%s;dbname=shop;charset=utf8mb4', getenv('DB_HOST'), getenv('DB_PORT')),
    getenv('DB_USER'),
    getenv('DB_PASSWORD'),
    [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]
);
$path = explode('/', trim(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH), '/'));
if (($path[0] ?? '') !== 'orders' || !isset($path[1])) {
    http_response_code(404);
} elseif ($_SERVER['REQUEST_METHOD'] === 'POST') {
    $db->prepare('UPDATE orders SET state = ? WHERE id = ?')->execute([$path[2], $path[1]]);
    http_response_code(204);
} else {
    $query = $db->prepare('SELECT id, state FROM orders WHERE id = ?');
    $query->execute([$path[1]]);
    $order = $query->fetch(PDO::FETCH_ASSOC);
    header('Content-Type: application/json');
    http_response_code($order ? 200 : 404);
    echo json_encode($order ? ['id' => (int) $order['id'], 'state' => $order['state']] : null);
}
