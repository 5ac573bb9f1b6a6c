package org.keyline.gateway.tier;

/** Carries entries of gateways to each other, their sender included. It may lose, repeat, delay and reorder them: that costs speed only. */
interface PeerChannel {
    /** Sends without waiting; what cannot be sent is lost. */
    void send(byte[] entry);
}
