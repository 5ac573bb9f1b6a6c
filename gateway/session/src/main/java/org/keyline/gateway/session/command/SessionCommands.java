package org.keyline.gateway.session.command;

import org.keyline.gateway.session.relay.BorrowedSession;
import org.keyline.gateway.session.relay.Forwarder;
import org.keyline.gateway.session.state.SessionState;

/** The objects that all commands of one session share. Confined to one event loop. */
public sealed class SessionCommands
        permits ConnectionCommands,
                DefinitionGate,
                ExecuteCommands,
                LocalAnswers,
                PrepareCommand,
                QueryCommand,
                ReadAnswers,
                SessionInserts,
                StatementForwarder,
                TransactionReads,
                Verification {
    final SessionState state;
    final CommandCopy copy;
    final PreparedStatements statements;
    final StoreStatements storeStatements;
    final Forwarder forwarder;
    final BorrowedSession borrowed;

    public SessionCommands(
            SessionState state,
            CommandCopy copy,
            PreparedStatements statements,
            StoreStatements storeStatements,
            Forwarder forwarder) {
        this.state = state;
        this.copy = copy;
        this.statements = statements;
        this.storeStatements = storeStatements;
        this.forwarder = forwarder;
        this.borrowed = forwarder.borrowed();
    }

    SessionCommands(SessionCommands shared) {
        this(shared.state, shared.copy, shared.statements, shared.storeStatements, shared.forwarder);
    }
}
