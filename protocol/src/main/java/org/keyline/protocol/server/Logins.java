package org.keyline.protocol.server;

import static java.util.Objects.requireNonNull;

import org.keyline.protocol.auth.ServerAuthenticator;

/** Who decides on the logins of a server. Thread-safe. */
sealed interface Logins {
    /** The login of one connection. */
    ServerLogin begin(ServerContext context, ServerLogin.Wires wires);

    /**
     * This server itself.
     *
     * @param authenticator default plugin, RSA key and remembered digests
     * @param accounts who may log in
     */
    record Local(ServerAuthenticator authenticator, Accounts accounts) implements Logins {
        public Local {
            requireNonNull(authenticator, "authenticator is null");
            requireNonNull(accounts, "accounts is null");
        }

        @Override
        public ServerLogin begin(ServerContext context, ServerLogin.Wires wires) {
            return new LocalLogin(context, this, wires);
        }
    }

    /** The server behind a relay. */
    record Relayed(LoginRelay relay) implements Logins {
        public Relayed {
            requireNonNull(relay, "relay is null");
        }

        @Override
        public ServerLogin begin(ServerContext context, ServerLogin.Wires wires) {
            return new RelayedLogin(context, relay, wires);
        }
    }
}
