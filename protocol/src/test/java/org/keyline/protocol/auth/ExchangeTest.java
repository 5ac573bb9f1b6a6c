package org.keyline.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The client's half and the server's half of each exchange, connected with each other. */
final class ExchangeTest {
    private static final RsaKey KEY = RsaKey.generate(new SecureRandom());
    private static final String PASSWORD = "s€cret";

    private final Random random = new Random(11);

    private static ServerAuthenticator server(AuthPlugin greeted) {
        return new ServerAuthenticator(greeted, KEY, new SecureRandom());
    }

    private Credential account(AuthPlugin plugin) {
        return Credential.ofPassword(plugin, PASSWORD, random);
    }

    private static ClientExchange client(String password, boolean secure) {
        return new ClientExchange(password, secure, true);
    }

    /** The outcome of a login, and the packets that the server sent. */
    private record Outcome(AuthStep last, String sent) {}

    private static Outcome login(
            ServerAuthenticator server, ClientExchange client, @Nullable Credential account, boolean secure) {
        return login(server.exchange(), server.defaultPlugin(), client, account, secure);
    }

    private static Outcome login(
            ServerExchange exchange,
            AuthPlugin greeted,
            ClientExchange client,
            @Nullable Credential account,
            boolean secure) {
        StringBuilder sent = new StringBuilder();
        byte[] answer = client.begin(greeted.wireName(), Arrays.copyOf(exchange.scramble(), 21));
        AuthStep step = exchange.begin(secure, true, client.plugin().wireName(), answer, account);
        for (int round = 0; round < 10; round++) {
            byte[] payload = step.payload();
            if (payload.length > 0) {
                sent.append(sent.isEmpty() ? "" : " ").append(label(payload));
            }
            if (step.kind() == AuthStep.Kind.DENIED) {
                return new Outcome(step, sent.toString());
            }
            byte[] reply = payload.length == 0 ? null : reply(client, payload);
            if (step.kind() == AuthStep.Kind.OK) {
                assertThat(reply).isNull();
                return new Outcome(step, sent.toString());
            }
            step = exchange.next(Objects.requireNonNull(reply));
        }
        throw new AssertionError("the exchange does not end: " + sent);
    }

    private static byte @Nullable [] reply(ClientExchange client, byte[] payload) {
        if (payload[0] == 1) {
            return client.more(Arrays.copyOfRange(payload, 1, payload.length));
        }
        int end = 1;
        while (payload[end] != 0) {
            end++;
        }
        String plugin = new String(payload, 1, end - 1, StandardCharsets.US_ASCII);
        return client.switchTo(plugin, Arrays.copyOfRange(payload, end + 1, payload.length));
    }

    private static String label(byte[] payload) {
        if (payload[0] == (byte) 0xFE) {
            return "switch";
        }
        return payload.length > 2 ? "key" : payload[1] == 3 ? "fast" : "full";
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "NATIVE_PASSWORD, NATIVE_PASSWORD, false, ''",
                "CACHING_SHA2_PASSWORD, NATIVE_PASSWORD, false, switch",
                "CACHING_SHA2_PASSWORD, CACHING_SHA2_PASSWORD, true, full",
                "CACHING_SHA2_PASSWORD, CACHING_SHA2_PASSWORD, false, full key",
                "NATIVE_PASSWORD, CACHING_SHA2_PASSWORD, false, switch full key",
                "NATIVE_PASSWORD, CLEAR_PASSWORD, true, switch"
            })
    void login_rightPassword_isOkAndWrongOneIsDenied(
            AuthPlugin greeted, AuthPlugin account, boolean secure, String sent) {
        ServerAuthenticator server = server(greeted);
        Credential credential = account(account);

        Outcome right = login(server, client(PASSWORD, secure), credential, secure);
        assertThat(right.last.kind()).isEqualTo(AuthStep.Kind.OK);
        assertThat(right.sent).isEqualTo(sent);

        for (String wrong : new String[] {"wrong", ""}) {
            Outcome denied = login(server, client(wrong, secure), credential, secure);
            assertThat(denied.last.kind()).isEqualTo(AuthStep.Kind.DENIED);
        }
    }

    @ParameterizedTest
    @EnumSource(AuthPlugin.class)
    void login_emptyPassword_isOkOnlyWhereTheAccountHasNone(AuthPlugin plugin) {
        ServerAuthenticator server = server(AuthPlugin.CACHING_SHA2_PASSWORD);
        Credential none = Credential.empty(plugin);
        assertThat(login(server, client("", true), none, true).last.kind()).isEqualTo(AuthStep.Kind.OK);
        assertThat(login(server, client("x", true), none, true).last.kind()).isEqualTo(AuthStep.Kind.DENIED);
    }

    @Test
    void sha2_secondLogin_takesTheFastPathUntilThePasswordChanges() {
        ServerAuthenticator server = server(AuthPlugin.CACHING_SHA2_PASSWORD);
        Credential before = account(AuthPlugin.CACHING_SHA2_PASSWORD);
        assertThat(login(server, client(PASSWORD, true), before, true).sent).isEqualTo("full");
        assertThat(login(server, client(PASSWORD, false), before, false).sent).isEqualTo("fast");
        assertThat(login(server, client("wrong", true), before, true).last.kind())
                .isEqualTo(AuthStep.Kind.DENIED);

        Credential after = account(AuthPlugin.CACHING_SHA2_PASSWORD);
        assertThat(login(server, client(PASSWORD, true), after, true).sent).isEqualTo("full");
    }

    @ParameterizedTest
    @EnumSource(value = AuthPlugin.class, names = "CLEAR_PASSWORD", mode = EnumSource.Mode.EXCLUDE)
    void login_unknownUser_isDeniedAfterTheSameExchange(AuthPlugin greeted) {
        ServerAuthenticator server = server(greeted);
        Outcome unknown = login(server, client("x", false), null, false);
        Outcome wrong = login(server, client("x", false), account(greeted), false);
        assertThat(unknown.last.kind()).isEqualTo(AuthStep.Kind.DENIED);
        assertThat(unknown.sent).isEqualTo(wrong.sent);
        assertThat(login(server, client("", false), null, false).last.kind()).isEqualTo(AuthStep.Kind.DENIED);
    }

    @Test
    void begin_clientWithoutPluginAuth_mayOnlyBeNative() {
        ServerAuthenticator server = server(AuthPlugin.CACHING_SHA2_PASSWORD);
        ServerExchange exchange = server.exchange();
        byte[] proof = Scramble.nativeProof(PASSWORD.getBytes(StandardCharsets.UTF_8), exchange.scramble());
        assertThat(exchange.begin(false, false, null, proof, account(AuthPlugin.NATIVE_PASSWORD))
                        .kind())
                .isEqualTo(AuthStep.Kind.OK);
        assertThat(server.exchange()
                        .begin(false, false, null, proof, account(AuthPlugin.CACHING_SHA2_PASSWORD))
                        .kind())
                .isEqualTo(AuthStep.Kind.UNSUPPORTED);
    }

    @Test
    void exchangeAgain_answerToTheUsedScramble_isNotTaken() {
        ServerAuthenticator server = server(AuthPlugin.NATIVE_PASSWORD);
        Credential account = account(AuthPlugin.NATIVE_PASSWORD);
        ServerExchange first = server.exchange();
        login(first, AuthPlugin.NATIVE_PASSWORD, client(PASSWORD, false), account, false);
        ServerExchange again = server.exchangeAgain(first);
        assertThat(again.scramble()).isEqualTo(first.scramble());
        Outcome outcome = login(again, AuthPlugin.NATIVE_PASSWORD, client(PASSWORD, false), account, false);
        assertThat(outcome.sent).isEqualTo("switch");
        assertThat(outcome.last.kind()).isEqualTo(AuthStep.Kind.OK);
        assertThat(again.scramble()).isNotEqualTo(first.scramble());
    }

    @Test
    void clearPassword_withoutTls_isRefusedByBothSides() {
        ServerAuthenticator server = server(AuthPlugin.NATIVE_PASSWORD);
        ServerExchange exchange = server.exchange();
        AuthStep step =
                exchange.begin(false, true, "mysql_native_password", new byte[0], account(AuthPlugin.CLEAR_PASSWORD));
        assertThat(step.kind()).isEqualTo(AuthStep.Kind.DENIED);
        assertThatThrownBy(() -> client(PASSWORD, false).switchTo("mysql_clear_password", new byte[0]))
                .isInstanceOf(AuthenticationException.class);
    }

    @Test
    void sha2_fullExchangeWithoutTlsKeyOrPermission_isRefusedByTheClient() {
        ClientExchange client = new ClientExchange(PASSWORD, false, false);
        client.begin("caching_sha2_password", new byte[20]);
        assertThatThrownBy(() -> client.more(new byte[] {4})).isInstanceOf(AuthenticationException.class);
    }

    @Test
    void sha2_serverWithoutKey_deniesTheFullExchange() {
        ServerAuthenticator server =
                new ServerAuthenticator(AuthPlugin.CACHING_SHA2_PASSWORD, null, new SecureRandom());
        Outcome outcome = login(server, client(PASSWORD, false), account(AuthPlugin.CACHING_SHA2_PASSWORD), false);
        assertThat(outcome.last.kind()).isEqualTo(AuthStep.Kind.DENIED);
    }

    @Test
    void next_arbitraryBytes_neverAuthenticateAndNeverThrow() {
        ServerAuthenticator server = server(AuthPlugin.CACHING_SHA2_PASSWORD);
        Credential account = account(AuthPlugin.CACHING_SHA2_PASSWORD);
        for (int i = 0; i < 300; i++) {
            ServerExchange exchange = server.exchange();
            boolean secure = random.nextBoolean();
            AuthStep step = exchange.begin(secure, true, "caching_sha2_password", bytes(40), account);
            for (int round = 0; round < 4 && step.kind() == AuthStep.Kind.SEND; round++) {
                step = exchange.next(bytes(random.nextBoolean() ? 3 : 400));
            }
            assertThat(step.kind()).isNotEqualTo(AuthStep.Kind.OK);
        }
    }

    @Test
    void full_passwordLongerThanAllowed_isDeniedBeforeItIsHashed() {
        ServerExchange exchange = server(AuthPlugin.CACHING_SHA2_PASSWORD).exchange();
        exchange.begin(true, true, "caching_sha2_password", new byte[32], account(AuthPlugin.CACHING_SHA2_PASSWORD));
        assertThat(exchange.isHeavy()).isTrue();
        AuthStep step =
                exchange.next(Arrays.copyOf("x".repeat(16_000_000).getBytes(StandardCharsets.US_ASCII), 16_000_001));
        assertThat(step.reason()).contains("malformed");
    }

    @Test
    void next_afterTheEnd_isOurBug() {
        ServerExchange exchange = server(AuthPlugin.NATIVE_PASSWORD).exchange();
        assertThatThrownBy(() -> exchange.next(new byte[0])).isInstanceOf(IllegalStateException.class);
    }

    private byte[] bytes(int bound) {
        byte[] bytes = new byte[random.nextInt(bound)];
        random.nextBytes(bytes);
        return bytes;
    }
}
