/**
 * A session's commands, with one class per group. They pass point reads to {@link ReadAnswers}, and
 * all other statements to {@link StatementForwarder}.
 */
@NullMarked
package org.keyline.gateway.session.command;

import org.jspecify.annotations.NullMarked;
