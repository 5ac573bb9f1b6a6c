package org.keyline.stores.mysql;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.client.ServerErrorException;
import org.keyline.stores.SessionDefaults;
import org.keyline.stores.mysql.catalog.Dialect;

/**
 * The settings of load sessions, which make loads independent of the store's global variables. A
 * load returns exactly the committed rows, in UTF-8. Its time zone is that of the sessions that
 * lines may answer. Among several catalogs, a load reads the store's own catalog. Immutable.
 */
final class LoadSettings {
    private final List<String> statements;

    LoadSettings(SessionDefaults defaults, Dialect dialect) {
        List<String> settings = new ArrayList<>();
        String catalog = dialect.useOwnCatalog();
        if (catalog != null) {
            // In another catalog, a load would read that catalog's table of the same name.
            settings.add(catalog);
        }
        settings.addAll(List.of(
                "SET NAMES utf8mb4",
                "SET autocommit = 1",
                "SET sql_mode = ''",
                "SET sql_select_limit = " + Long.MAX_VALUE,
                "SET time_zone = '" + defaults.timeZone().replace("'", "''") + "'"));
        // A store without isolation levels never shows uncommitted rows.
        if (dialect.hasIsolationLevels()) {
            settings.add("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        }
        String own = defaults.reads().stream()
                .filter(variable -> variable.value() != null)
                .map(variable -> variable.name() + " = " + variable.value())
                .collect(Collectors.joining(", "));
        if (!own.isEmpty()) {
            settings.add("SET " + own);
        }
        statements = List.copyOf(settings);
    }

    /** Sets the variables of a load session. Closes the session if the store rejects a variable. */
    CompletionStage<ClientConnection> set(ClientConnection connection) {
        CompletableFuture<ClientConnection> ready = new CompletableFuture<>();
        for (int i = 0; i < statements.size(); i++) {
            connection.query(statements.get(i), new Setting(connection, ready, i == statements.size() - 1));
        }
        return ready;
    }

    /** Receives the reply to one setting. The reply to the last setting completes {@code ready}. */
    private record Setting(ClientConnection connection, CompletableFuture<ClientConnection> ready, boolean last)
            implements ResultListener {
        @Override
        public void end(ReplySummary summary) {
            ErrPacket error = summary.error();
            if (error != null) {
                ready.completeExceptionally(new ServerErrorException(error));
                connection.close();
            } else if (last) {
                ready.complete(connection);
            }
        }

        @Override
        public void failed(Throwable cause) {
            ready.completeExceptionally(cause);
        }
    }
}
