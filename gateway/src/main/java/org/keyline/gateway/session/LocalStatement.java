package org.keyline.gateway.session;

import java.util.List;
import java.util.function.Supplier;

/**
 * A statement that the gateway answers itself.
 *
 * @param columns of its result; empty if it answers OK
 * @param run makes the result; its columns are {@code columns}
 */
record LocalStatement(List<String> columns, Supplier<LocalResult> run) {}
