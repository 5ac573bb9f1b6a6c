package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.query.ReadScope;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.Digester;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ExtendedCapabilities;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Login;
import org.keyline.stores.StoreSession;

/**
 * Who a session's client is, what it has set, and what follows from both for its replies and for how its statements are read.
 * Confined to one event loop.
 */
final class SessionState {
    /** Capabilities that change the bytes of a reply. */
    private static final int REPLY_CAPABILITIES =
            Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_FOUND_ROWS | Capabilities.CLIENT_PS_MULTI_RESULTS;

    private final SessionContext context;
    private final LoopParts parts;
    private final SessionSettings settings;
    private final LastAnswer last = new LastAnswer();
    private Login login;

    private long authority;
    private int scopeChanges = -1;
    private @Nullable ReadScope textScope;
    private @Nullable ReadScope binaryScope;

    SessionState(SessionContext context, LoopParts parts, Login login) {
        this.context = context;
        this.parts = parts;
        this.login = login;
        settings = new SessionSettings(
                login.collation(),
                login.database(),
                context.store().sessionDefaults(),
                context.store().transactions(),
                context.store().harmlessVariables());
    }

    /** What all sessions share. */
    SessionContext context() {
        return context;
    }

    /** What the sessions of this event loop share. */
    LoopParts parts() {
        return parts;
    }

    SessionSettings settings() {
        return settings;
    }

    LastAnswer last() {
        return last;
    }

    Login login() {
        return login;
    }

    /** Another user: all settings begin anew. */
    void login(Login next) {
        login = next;
        settings.reset(next.collation(), next.database());
    }

    /** Another user on the same session of the store. */
    void changeUser(Login next) {
        if (context.store().variablesOutliveUsers()) {
            login = next;
            settings.changeUser(next.database());
        } else {
            login(next);
        }
    }

    /** Whose rights these are: what the store says one is, and when; before that the account, or what it was found by. */
    String user() {
        String account = settings.account();
        if (account != null) {
            return account + " of " + authority;
        }
        return login.upstream() == null
                ? login.authenticatedAs()
                : login.user() + "@" + login.remote().getHostAddress();
    }

    /** What the store session answered to the gateway's question. */
    void told(StoreSession.Told answer) {
        authority = context.authority().generation();
        settings.told(answer);
    }

    /** Whether what the store said of the account may still be learned under; if not, it is asked again. */
    boolean authorityHolds() {
        boolean holds =
                settings.account() == null || authority == context.authority().generation();
        if (!holds) {
            settings.askAgain();
        }
        return holds;
    }

    int capabilities() {
        return login.capabilities();
    }

    /** Whether commands over 16 MiB come packet by packet, and this is the first packet of one. */
    boolean isLong(ByteBuf payload) {
        return login.upstream() != null && payload.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
    }

    /** Whether column definitions have MariaDB's extended type information. */
    boolean extendedMetadata() {
        ClientConnection upstream = login.upstream();
        return upstream != null
                && (upstream.extendedCapabilities() & ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA) != 0;
    }

    /** The current schema; empty if none is selected. */
    String schemaOrNone() {
        return Objects.requireNonNullElse(settings.schema(), "");
    }

    /** Digests a statement and plans it; the event loop's digester has it until the next. */
    PlannedStatement plan(byte[] sql, int from, int to) {
        Digester digester = parts.digester();
        digester.digest(sql, from, to, settings.sqlMode());
        return parts.plans().plan(digester, schemaOrNone());
    }

    /** Whose reads these are, for templates. */
    ReadScope scope(boolean binary) {
        ReadScope text = textScope;
        ReadScope executed = binaryScope;
        if (scopeChanges != settings.changes() || text == null || executed == null) {
            scopeChanges = settings.changes();
            text = newScope(false);
            executed = newScope(true);
            textScope = text;
            binaryScope = executed;
        }
        return binary ? executed : text;
    }

    private ReadScope newScope(boolean binary) {
        CharacterSets sets = settings.characterSets();
        return context.scopes()
                .intern(new ReadScope(
                        user(),
                        binary,
                        replyFormat(),
                        schemaOrNone(),
                        sets.identity(),
                        settings.sqlMode(),
                        sets.resultsAsStored(),
                        sets.basicResults(),
                        settings.selectLimit()));
    }

    /** What the reply to a PREPARE belongs to. */
    KnownShapes.Key shape(String sql, int status, TableSchema table) {
        return new KnownShapes.Key(
                user(),
                schemaOrNone(),
                replyFormat(),
                settings.characterSets(),
                settings.sqlMode(),
                Capabilities.has(capabilities(), Capabilities.CLIENT_DEPRECATE_EOF) ? 0 : status,
                new KnownShapes.Definition(table),
                sql);
    }

    /** Flags that shape replies; MariaDB's extended ones in the upper half. */
    private long replyFormat() {
        long extended = extendedMetadata() ? ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA : 0;
        return (capabilities() & REPLY_CAPABILITIES) | (extended << Integer.SIZE);
    }
}
