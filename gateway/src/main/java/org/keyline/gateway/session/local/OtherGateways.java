package org.keyline.gateway.session.local;

import java.util.concurrent.CompletionStage;

/** The other gateways in front of the same store, as they come as clients. Thread-safe. */
public interface OtherGateways {
    /** Takes what one of them says of its writes. */
    void tell(byte[] entry);

    /**
     * What the change signal of this gateway told since the last question of one of them, or tells soon.
     *
     * @return fails with a {@link org.keyline.gateway.signal.NotHeardException} where it is not told
     */
    CompletionStage<byte[]> ask(byte[] question);
}
