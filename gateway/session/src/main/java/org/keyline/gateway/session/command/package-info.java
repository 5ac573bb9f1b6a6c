/**
 * A session's commands, with one class per group: {@link QueryCommand}, {@link PrepareCommand},
 * {@link ExecuteCommands}, {@link ConnectionCommands}; and their common parts. A point read goes to
 * {@link ReadAnswers}, and any other statement to {@link StatementForwarder}.
 */
@NullMarked
package org.keyline.gateway.session.command;

import org.jspecify.annotations.NullMarked;
