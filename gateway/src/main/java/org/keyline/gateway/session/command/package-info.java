/**
 * A session's commands, a class for each group: {@link QueryCommand}, {@link PrepareCommand}, {@link ExecuteCommands},
 * {@link ConnectionCommands}; and what these share. A point read comes to {@link ReadAnswers} from text and from an execution alike, any
 * other statement to {@link StatementForwarder}.
 */
@NullMarked
package org.keyline.gateway.session.command;

import org.jspecify.annotations.NullMarked;
