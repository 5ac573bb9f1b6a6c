package org.keyline.gateway.relay;

/** INSERTs whose keys MariaDB chooses. */
final class NumberedRowsIT extends Scenarios {}
