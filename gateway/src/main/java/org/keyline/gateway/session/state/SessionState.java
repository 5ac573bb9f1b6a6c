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

/**
 * Who a session's client is, what it has set, and what follows from both for its replies and for how its statements are read.
 * Confined to one event loop.
 */
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
    /** That no other session has, once rights may have changed since the login; 0: none. */
    private long number;
    /** Of {@link SessionSettings#rightsRead}, when the number was given. */
    private int rightsRead;

    /** Written by the session's event loop, read by any thread. */
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

    /** What all sessions share. */
    public SessionContext context() {
        return context;
    }

    /** What the sessions of this event loop share. */
    public LoopParts parts() {
        return parts;
    }

    public SessionSettings settings() {
        return settings;
    }

    public LastAnswer last() {
        return last;
    }

    /** Returns why the session's last read had to go to the store, whatever it asked for; null if it had not. Thread-safe. */
    public @Nullable String forwarding() {
        return forwarding;
    }

    /** A read came that has to go to the store whatever it asks for, and why; null for one that has not. */
    public void forwarding(@Nullable String why) {
        if (!Objects.equals(why, forwarding)) {
            forwarding = why;
        }
    }

    public Login login() {
        return login;
    }

    /** Another user: all settings begin anew. */
    public void login(Login next) {
        login = next;
        number = 0;
        settings.reset(next.collation(), next.database());
    }

    /** Another user on the same session of the store. */
    public void changeUser(Login next) {
        if (context.store().variablesOutliveUsers()) {
            login = next;
            number = 0;
            settings.changeUser(next.database());
        } else {
            login(next);
        }
    }

    /** Whose rights these are: what the store says one is, and when; before that the account, or what it was found by. */
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
     * Gives the session a number of its own if rights may have changed since its login. The store allows it by rights of then, and by
     * newer ones where it has read them anew; another number keeps both apart.
     */
    private void separateFromNewer() {
        boolean numbered = number != 0;
        if (numbered ? rightsRead != settings.rightsRead() : context.authority().isOlder(login.beganNanos())) {
            number = context.authority().number();
            rightsRead = settings.rightsRead();
            textScope = null;
        }
    }

    /** The account that the store told, with its roles, and until when that is believed. */
    public String account() {
        separateFromNewer();
        return user();
    }

    /** What the store session answered to the gateway's question. */
    public void told(StoreSession.Told answer) {
        authority = context.authority().generation();
        settings.told(answer);
        String account = answer.values().get("CURRENT_USER()");
        String rights = answer.values().get(StoreSession.GLOBAL_RIGHTS);
        if (account != null && rights != null) {
            context.authority().rights(account, rights);
        }
    }

    /** Whether what the store said of the account may still be learned under; if not, it is asked again. */
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

    /** Whether commands over 16 MiB come packet by packet, and this is the first packet of one. */
    public boolean isLong(ByteBuf payload) {
        return login.upstream() != null && payload.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
    }

    /** Whether column definitions have MariaDB's extended type information. */
    public boolean extendedMetadata() {
        ClientConnection upstream = login.upstream();
        return upstream != null
                && (upstream.extendedCapabilities() & ExtendedCapabilities.MARIADB_CLIENT_EXTENDED_METADATA) != 0;
    }

    /** The current schema; empty if none is selected. */
    public String schemaOrNone() {
        return Objects.requireNonNullElse(settings.schema(), "");
    }

    /**
     * Reports a statement that is done to the slow log, if it took long.
     *
     * @param schema that its names are of
     * @param text without values; empty if it was not read
     * @param reason why the store answered; empty where lines did
     */
    public void done(String schema, String text, String reason, Spent spent, long rows, long bytes, int error) {
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
                            rows,
                            bytes,
                            error));
        }
    }

    /** Digests a statement and plans it; the event loop's digester has it until the next. */
    public PlannedStatement plan(byte[] sql, int from, int to) {
        Digester digester = parts.digester();
        digester.digest(sql, from, to, settings.sqlMode());
        return parts.plans().plan(digester, schemaOrNone());
    }

    /**
     * The plan of a statement that will be dispatched soon, if it is cached: what comes before it may change what it means. The event
     * loop's digester has it until the next.
     *
     * @param length at most {@link TextAhead#MAX_BYTES}
     */
    public @Nullable PlannedStatement knownPlan(ByteBuf payload, int textAt, int length) {
        Digester digester = parts.digester();
        digester.digest(parts.textAhead().copy(payload, textAt, length), 0, length, settings.sqlMode());
        return parts.plans().known(digester, schemaOrNone());
    }

    /** Whose reads these are, for templates. */
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

    /** The same for executions whose rows are to be fetched. */
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
                        settings.selectLimit(),
                        cursor,
                        ""));
    }

    /** What the reply to a PREPARE belongs to. */
    public KnownShapes.Key shape(String sql, int status, TableSchema table) {
        separateFromNewer();
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
