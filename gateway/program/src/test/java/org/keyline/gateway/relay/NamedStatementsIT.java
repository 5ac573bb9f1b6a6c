package org.keyline.gateway.relay;

/** Statements that are prepared in text and run by EXECUTE. */
final class NamedStatementsIT extends Scenarios {}
