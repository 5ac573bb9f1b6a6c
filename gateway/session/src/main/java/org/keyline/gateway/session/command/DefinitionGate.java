package org.keyline.gateway.session.command;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.change.Fencing;
import org.keyline.gateway.change.KnownCalls;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.session.relay.Forwarding;
import org.keyline.gateway.session.relay.ParseErrors;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.Effect;
import org.keyline.planner.StatementKind;
import org.keyline.planner.TableName;
import org.keyline.planner.statement.ProcedureBody;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.stores.DefinitionWatch;
import org.keyline.stores.ProcedureText;
import org.keyline.stores.Store;

/** Forwards statements that can define objects without naming them. Confined to one event loop. */
final class DefinitionGate extends SessionCommands {
    /*
     * A statement that names no object can still define one, but usually does not. So the gateway
     * asks the store before and after the statement whether any table was defined or written. Until
     * the second answer arrives, lines answer no reads. If nothing was defined or written, the
     * lines remain valid. The gateway does not ask again if the store could not parse the
     * statement.
     *
     * The statement's writes may be committed later. While its transaction is open, the session's
     * own fence stays closed for them.
     *
     * A CALL closes only the fences of the tables that its procedure writes, if the store returns
     * the procedure and Keyline understands its text. If a statement through this gateway might
     * change that set of tables meanwhile, all fences close (KnownCalls). The gateway reads the
     * procedure again after the reply. If its text was changed, all lines are dropped.
     */

    private final Fencing fencing;
    private @Nullable Runnable over;
    private KnownCalls.@Nullable Call call;

    DefinitionGate(SessionCommands shared, Fencing fencing) {
        super(shared);
        this.fencing = fencing;
    }

    /** Returns whether the statement might define objects that its effect does not name. */
    static boolean isFor(StatementKind kind, Effect effect) {
        return switch (kind) {
            case MULTI, MULTI_PRIVILEGE, CALL, EXECUTE -> true;
            case DDL -> effect instanceof Effect.Everything;
            // A statement that the store cannot parse has no effect.
            case UNKNOWN -> !(effect instanceof Effect.None);
            default -> false;
        };
    }

    /**
     * Forwards the statement. If the effect is {@link Effect.Everything}, the fence closes after
     * the store's first answer, or at once if further packets of the command follow.
     *
     * @param text whether the command is a COM_QUERY, whose text the store has yet to parse
     */
    void forward(Forwarding forwarding, Effect effect, SlotValues values, boolean text) {
        if (forwarding.continued() || !(effect instanceof Effect.Everything)) {
            fencing.sends(effect, values);
        }
        if (forwarding.continued()) {
            defines();
            relay.forward(forwarding.first(done -> state.context().store().definitionsChanged(null)));
            return;
        }
        PlainCall plain = text && forwarding.kind() == StatementKind.CALL
                ? PlainCall.of(forwarding.text(), state.settings())
                : null;
        if (plain == null) {
            watch(forwarding, effect, text);
            return;
        }
        long moment = state.context().calls().moment();
        Store store = state.context().store();
        then(store.procedure(plain.schema(), plain.name()), forwarding, received -> {
            if (received == null || !call(forwarding, received, moment)) {
                watch(forwarding, effect, text);
            }
        });
    }

    private void watch(Forwarding forwarding, Effect effect, boolean text) {
        then(state.context().store().watchDefinitions(), forwarding, watch -> send(forwarding, effect, text, watch));
    }

    /** Passes the store's answer to {@code next}, on the event loop. */
    private <T extends @Nullable Object> void then(
            CompletionStage<T> received, Forwarding forwarding, Consumer<T> next) {
        received.whenComplete((answer, never) -> forwarding.reply().run(() -> next.accept(answer)));
    }

    /** Closes a CALL's fences, and sends the CALL. Returns false if its writes are unknown. */
    private boolean call(Forwarding forwarding, ProcedureText received, long moment) {
        if (borrowed.isClosed()) {
            return true;
        }
        Effect writes = ProcedureBody.effect(
                received.body(),
                received.sqlMode(),
                received.schema(),
                state.context().catalog());
        KnownCalls.Call begun = writes instanceof Effect.Everything
                ? null
                : state.context().calls().begins(moment, writes);
        if (begun == null) {
            return false;
        }
        call = begun;
        over = () -> {
            call = null;
            begun.ends();
            confirm(received);
        };
        fencing.sends(writes, SlotValues.UNKNOWN);
        relay.forward(forwarding);
        return true;
    }

    /** Drops all lines if the procedure has changed since its text was read. */
    private void confirm(ProcedureText called) {
        var unused = state.context()
                .store()
                .procedure(called.schema(), called.name())
                .thenAccept(now -> {
                    if (!called.equals(now)) {
                        state.parts().fencing().doubt().ends(false);
                        state.parts().loop().execute(() -> {
                            if (state.settings().transactionOpen() && !borrowed.isClosed()) {
                                fencing.sendsAnything();
                            }
                        });
                    }
                });
    }

    /** Called before the session sends a statement that may define any object. */
    void defines() {
        over = state.context().calls().defines(null);
    }

    /** Called before the session sends a definition whose effect is known. */
    void defines(Forwarding forwarding, Effect effect) {
        over = state.context().calls().defines(onlyTables(forwarding, effect));
    }

    /**
     * Returns the tables that a definition names; null if the definition may also affect statements
     * that write other tables. For example, a foreign key adds writes from another table, and a
     * rename may give a view the name of a table.
     */
    private static @Nullable List<TableName> onlyTables(Forwarding forwarding, Effect effect) {
        boolean known = effect instanceof Effect.Tables
                && !forwarding.text().mentions("REFERENCES")
                && !forwarding.text().mentions("RENAME");
        if (!known) {
            return null;
        }
        List<TableName> tables = ((Effect.Tables) effect).tables();
        // Tables of this schema contain the store's procedures and triggers.
        boolean system = tables.stream().anyMatch(table -> table.schema().equalsIgnoreCase("mysql"));
        return system ? null : tables;
    }

    /**
     * Called after the store's reply. If a called procedure may have changed, all fences close,
     * because the session's transaction may have written to any table.
     */
    void answered() {
        if (call != null && call.isDoubtful()) {
            fencing.sendsAnything();
        }
        over();
    }

    /** Called when the statement is over, with or without a reply. */
    void over() {
        Runnable done = over;
        over = null;
        if (done != null) {
            done.run();
        }
    }

    private void send(Forwarding forwarding, Effect effect, boolean text, DefinitionWatch watch) {
        if (borrowed.isClosed()) {
            return;
        }
        defines();
        boolean closed = effect instanceof Effect.Everything && fencing.sendsAnything();
        relay.forward(forwarding.first(done -> {
            if (text && isUnread(done, forwarding.text())) {
                if (closed) {
                    fencing.ranNothing();
                }
            } else {
                boolean over = closed
                        && done.summary().error() == null
                        && !state.settings().transactionOpen();
                ask(watch, over);
                if (over) {
                    fencing.passesToDoubt();
                }
            }
        }));
    }

    /** Returns whether the reply proves that no part of the COM_QUERY has run. */
    boolean isUnread(ReplyScanner done, SqlStatement text) {
        ErrPacket error = done.summary().error();
        return error != null
                && done.summary().results() == 0
                && ParseErrors.prove(error, text, state.context().catalog().storedFunctions());
    }

    /** @param over whether all writes of the statement are committed */
    private void ask(DefinitionWatch watch, boolean over) {
        Fencing.Doubt doubt = state.parts().fencing().doubt();
        var unused = watch.ended()
                .thenAccept(seen -> doubt.ends(
                        seen == DefinitionWatch.Seen.NOTHING || (seen == DefinitionWatch.Seen.ROWS && !over)));
    }

    /** A CALL with the same meaning under all settings, whose arguments call no function. */
    private record PlainCall(String schema, String name) {
        private static final int MAX_BYTES = 1 << 10;
        private static final String NAME = "(?:([A-Za-z_][A-Za-z0-9_]*+)|`([A-Za-z0-9_$ -]++)`)";
        private static final String VALUE =
                "(?:@[A-Za-z0-9_$.]++|[-+]?[0-9]++(?:\\.[0-9]++)?|'[ -&(-\\[\\]-~]*+'|NULL|TRUE|FALSE)";
        private static final Pattern CALL = Pattern.compile(
                "\\s*+CALL\\s++(?:" + NAME + "\\s*+\\.\\s*+)?" + NAME + "\\s*+(?:\\(\\s*+(?:" + VALUE + "\\s*+(?:,\\s*+"
                        + VALUE + "\\s*+)*+)?\\)\\s*+)?;?\\s*+",
                Pattern.CASE_INSENSITIVE);

        /** Parses a text. Returns null if it is not such a call, or if its schema is unknown. */
        static @Nullable PlainCall of(SqlStatement text, SessionSettings settings) {
            if (text.length() > MAX_BYTES) {
                return null;
            }
            Matcher call = CALL.matcher(text.latin());
            if (!call.matches()) {
                return null;
            }
            String schema = either(call, 1);
            if (schema == null) {
                schema = settings.verified() && settings.schemaKnown() ? settings.schema() : null;
            }
            String name = either(call, 3);
            return schema == null || name == null ? null : new PlainCall(schema, name);
        }

        private static @Nullable String either(Matcher call, int plain) {
            String name = call.group(plain);
            return name == null ? call.group(plain + 1) : name;
        }
    }
}
