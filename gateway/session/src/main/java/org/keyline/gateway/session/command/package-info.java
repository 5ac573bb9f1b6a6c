/**
 * A session's commands, with one class per group: {@link QueryCommand}, {@link PrepareCommand},
 * {@link ExecuteCommands}, {@link ConnectionCommands}. They pass point reads to {@link
 * ReadAnswers}, and all other statements to {@link StatementForwarder}.
 */
@NullMarked
package org.keyline.gateway.session.command;

import org.jspecify.annotations.NullMarked;
