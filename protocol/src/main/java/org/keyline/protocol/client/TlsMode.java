package org.keyline.protocol.client;

/** Whether a client connection goes under TLS. */
public enum TlsMode {
    /** Never. */
    OFF,
    /** If the server offers it; its certificate is not checked. */
    PREFERRED,
    /** Or no connection; the certificate is not checked. */
    REQUIRED,
    /** Or no connection; the certificate must lead to a trusted one and name the host. */
    VERIFY
}
