package org.keyline.gateway.session.command;

import org.keyline.gateway.session.relay.BorrowedSession;
import org.keyline.gateway.session.relay.Relay;
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
    final Relay relay;
    final BorrowedSession borrowed;

    public SessionCommands(
            SessionState state,
            CommandCopy copy,
            PreparedStatements statements,
            StoreStatements storeStatements,
            Relay relay) {
        this.state = state;
        this.copy = copy;
        this.statements = statements;
        this.storeStatements = storeStatements;
        this.relay = relay;
        this.borrowed = relay.borrowed();
    }

    SessionCommands(SessionCommands shared) {
        this(shared.state, shared.copy, shared.statements, shared.storeStatements, shared.relay);
    }
}
