package org.keyline.gateway.session.state;

import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.ReadScope;
import org.keyline.gateway.session.settings.CharacterSets;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.slow.SlowStatement;
import org.keyline.gateway.slow.Spent;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.Digester;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ExtendedCapabilities;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Login;
import org.keyline.stores.StoreSession;
import org.keyline.stores.StoreTrait;

/** A session's settings, and the cache keys that depend on them. Confined to one event loop. */
public final class SessionState {
    /** Capabilities that change the bytes of a reply. */
    private static final int REPLY_CAPABILITIES =
            Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_FOUND_ROWS | Capabilities.CLIENT_PS_MULTI_RESULTS;

    private final SessionContext context;
    private final LoopParts parts;
    private final SessionSettings settings;
    private final LastAnswer last = new LastAnswer();
    private Login login;

    private long authority;
    /** A number that no other session has, if rights may have changed since the login; 0 if not. */
    private long number;
    /** The value of {@link SessionSettings#rightsRead} when {@link #number} was assigned. */
    private int rightsRead;

    /** Why all reads go to the store; null if lines may answer. Only the event loop writes it. */
    private volatile @Nullable String forwarding;

    private int scopeChanges = -1;
    private @Nullable ReadScope textScope;
    private @Nullable ReadScope binaryScope;
    private @Nullable ReadScope cursorScope;

    public SessionState(SessionContext context, LoopParts parts, Login login) {
        this.context = context;
        this.parts = parts;
        this.login = login;
        settings = new SessionSettings(
                login.collation(),
                login.database(),
                context.store().sessionDefaults(),
                context.store().transactions(),
                context.store().harmlessVariables(),
                context.store().ownCatalog());
        if (context.merges() != null) {
            settings.compareInsertsBy(context.store().insertSettings());
        }
    }

    public SessionContext context() {
        return context;
    }

    public LoopParts parts() {
        return parts;
    }

    public SessionSettings settings() {
        return settings;
    }

    public LastAnswer last() {
        return last;
    }

    /**
     * Returns why all reads of the session go to the store, as of the last read; null if lines may
     * answer. Thread-safe.
     */
    public @Nullable String forwarding() {
        return forwarding;
    }

    public void forwarding(@Nullable String why) {
        if (!Objects.equals(why, forwarding)) {
            forwarding = why;
        }
    }

    public Login login() {
        return login;
    }

    /** Begins a session of another user, and resets all settings. */
    public void login(Login next) {
        login = next;
        number = 0;
        settings.reset(next.collation(), next.database());
    }

    /** Changes the user of the same store session. */
    public void changeUser(Login next) {
        if (context.store().has(StoreTrait.OWN_SESSION_RULES)) {
            login = next;
            number = 0;
            settings.changeUser(next.database());
        } else {
            login(next);
        }
    }

    /**
     * Returns the name whose rights apply (the login name or the store's account), followed by a
     * number. The number changes when the rights may have changed.
     */
    String user() {
        String account = settings.account();
        String user = account != null
                ? account + " of " + authority
                : login.upstream() == null
                        ? login.authenticatedAs()
                        : login.user() + "@" + login.remote().getHostAddress();
        return number == 0 ? user : user + " alone as " + number;
    }

    /**
     * Assigns a separate number to the session if rights may have changed since its login, so that
     * it shares permissions with no other session. To such a session, the store applies the rights
     * as of the login, or newer rights if the store has read them again.
     */
    private void separateFromNewer() {
        boolean numbered = number != 0;
        if (numbered ? rightsRead != settings.rightsRead() : context.authority().isOlder(login.beganNanos())) {
            number = context.authority().number();
            rightsRead = settings.rightsRead();
            textScope = null;
        }
    }

    /** Returns a text that is equal for sessions with the same rights, for use in keys. */
    public String account() {
        separateFromNewer();
        return user();
    }

    public void received(StoreSession.SessionAnswer answer) {
        authority = context.authority().generation();
        settings.received(answer);
        String account = answer.values().get("CURRENT_USER()");
        String rights = answer.values().get(StoreSession.GLOBAL_RIGHTS);
        if (account != null && rights != null) {
            context.authority().rights(account, rights);
        }
    }

    /** Returns whether the account's rights are unchanged; if not, asks the store again. */
    public boolean authorityHolds() {
        boolean holds =
                settings.account() == null || authority == context.authority().generation();
        if (!holds) {
            settings.askAgain();
        }
        return holds;
    }

    public int capabilities() {
        return login.capabilities();
    }

    /** Returns whether the payload is the first packet of a command over 16 MiB. */
    public boolean isLong(ByteBuf payload) {
        return login.upstream() != null && payload.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
    }

    /** Returns whether column definitions have MariaDB's extended type information. */
    public boolean extendedMetadata() {
        ClientConnection upstream = login.upstream();
        return upstream != null
                && (upstream.extendedCapabilities() & ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA) != 0;
    }

    /** Returns the current schema; empty if none is selected. */
    public String schemaOrNone() {
        return Objects.requireNonNullElse(settings.schema(), "");
    }

    /**
     * Adds a completed statement to the slow log if it was slow.
     *
     * @param schema the schema to which unqualified names refer
     * @param text the statement without values; empty if Keyline did not read it
     * @param reason why the store answered; empty if lines answered after a load
     */
    public void done(String schema, String text, String reason, Spent spent, SlowStatement.Replied reply) {
        if (context.slow().isSlow(spent.totalNanos())) {
            context.slow()
                    .add(new SlowStatement(
                            Instant.now(),
                            login.connectionId(),
                            login.user(),
                            login.remote().getHostAddress(),
                            schema,
                            text,
                            reason.isEmpty() ? "load" : "store",
                            reason,
                            spent,
                            reply));
        }
    }

    /** Returns a statement's plan. The loop's digester retains the digest until its next use. */
    public PlannedStatement plan(byte[] sql, int from, int to) {
        Digester digester = parts.digester();
        digester.digest(sql, from, to, settings.variables().sqlMode());
        return parts.plans().plan(digester, schemaOrNone());
    }

    /**
     * Returns the cached plan of a statement that will be dispatched soon; null if none is cached.
     * Commands that are dispatched before this statement can still change its meaning. The event
     * loop's digester retains the digest until its next statement.
     *
     * @param length the length of the text, at most {@link TextAhead#MAX_BYTES}
     */
    public @Nullable PlannedStatement knownPlan(ByteBuf payload, int textAt, int length) {
        Digester digester = parts.digester();
        digester.digest(
                parts.textAhead().copy(payload, textAt, length),
                0,
                length,
                settings.variables().sqlMode());
        return parts.plans().known(digester, schemaOrNone());
    }

    /** Returns the scope in which the session's templates are looked up. */
    public ReadScope scope(boolean binary) {
        separateFromNewer();
        ReadScope text = textScope;
        ReadScope executed = binaryScope;
        if (scopeChanges != settings.changes() || text == null || executed == null) {
            scopeChanges = settings.changes();
            text = newScope(false, false);
            executed = newScope(true, false);
            textScope = text;
            binaryScope = executed;
            cursorScope = null;
        }
        return binary ? executed : text;
    }

    /** Returns the scope for executions whose rows the client fetches by a cursor. */
    public ReadScope cursorScope() {
        ReadScope current = scope(true);
        ReadScope known = cursorScope;
        if (known == null) {
            known = newScope(current.binary(), true);
            cursorScope = known;
        }
        return known;
    }

    private ReadScope newScope(boolean binary, boolean cursor) {
        CharacterSets sets = settings.variables().characterSets();
        return context.scopes()
                .intern(new ReadScope(
                        user(),
                        binary,
                        replyFormat(),
                        schemaOrNone(),
                        sets.identity(),
                        settings.variables().sqlMode(),
                        sets.resultsAsStored(),
                        sets.basicResults(),
                        settings.variables().selectLimit(),
                        cursor,
                        ""));
    }

    /** Returns the key under which the reply to a PREPARE is stored. */
    public KnownShapes.Key shape(String sql, int status, TableSchema table) {
        separateFromNewer();
        return new KnownShapes.Key(
                user(),
                schemaOrNone(),
                replyFormat(),
                settings.variables().characterSets(),
                settings.variables().sqlMode(),
                Capabilities.has(capabilities(), Capabilities.CLIENT_DEPRECATE_EOF) ? 0 : status,
                new KnownShapes.Definition(table),
                sql);
    }

    /** Returns the flags that affect replies, with MariaDB's extended flags in the upper half. */
    private long replyFormat() {
        long extended = extendedMetadata() ? ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA : 0;
        return (capabilities() & REPLY_CAPABILITIES) | (extended << Integer.SIZE);
    }
}
