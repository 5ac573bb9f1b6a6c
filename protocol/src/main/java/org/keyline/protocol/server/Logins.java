package org.keyline.protocol.server;

import static java.util.Objects.requireNonNull;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.ServerAuthenticator;

/** Decides the logins of a server: itself, or by a relay to an upstream server. Thread-safe. */
sealed interface Logins {
    ServerLogin begin(ServerContext context, ServerLogin.Wires wires);

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
         * Returns the key with which clients without TLS encrypt passwords if the upstream server
         * uses TLS.
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
