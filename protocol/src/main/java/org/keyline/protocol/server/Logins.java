package org.keyline.protocol.server;

import static java.util.Objects.requireNonNull;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.ServerAuthenticator;

/** The side that decides the logins of a server. Thread-safe. */
sealed interface Logins {
    /** Begins the login of one connection. */
    ServerLogin begin(ServerContext context, ServerLogin.Wires wires);

    /**
     * This server decides.
     *
     * @param authenticator default plugin, RSA key and cached digests
     * @param accounts the accounts
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

    /** The server behind a relay decides. */
    final class Relayed implements Logins {
        private final LoginRelay relay;
        private final SecureRandom random;
        private @Nullable RsaKey key;

        Relayed(LoginRelay relay, SecureRandom random) {
            this.relay = requireNonNull(relay, "relay is null");
            this.random = requireNonNull(random, "random is null");
        }

        @Override
        public ServerLogin begin(ServerContext context, ServerLogin.Wires wires) {
            return new RelayedLogin(context, relay.upstream(), this::key, random, wires);
        }

        /**
         * Returns the key with which clients without TLS encrypt their password if only the
         * upstream server uses TLS. Generated on first use.
         */
        private synchronized RsaKey key() {
            RsaKey made = key;
            if (made == null) {
                made = RsaKey.generate(random);
                key = made;
            }
            return made;
        }
    }
}
