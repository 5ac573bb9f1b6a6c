package org.keyline.gateway.relay;

/** Transactions that a line has answered, and that continue. */
final class PinnedTransactionsIT extends Scenarios {}
