package org.keyline.protocol.server;

import static java.util.Objects.requireNonNull;

import java.security.SecureRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.ClientOptions;

/** Decides a server's logins, either itself or by relaying them to another server. Thread-safe. */
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
        private final Supplier<ClientOptions> upstream;
        private final SecureRandom random;
        private @Nullable RsaKey key;

        Relayed(Supplier<ClientOptions> upstream, SecureRandom random) {
            this.upstream = requireNonNull(upstream, "upstream is null");
            this.random = requireNonNull(random, "random is null");
        }

        @Override
        public ServerLogin begin(ServerContext context, ServerLogin.Wires wires) {
            return new RelayedLogin(context, upstream.get(), this::key, random, wires);
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
