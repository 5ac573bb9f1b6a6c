package org.keyline.gateway;

import com.github.benmanes.caffeine.cache.Ticker;
import java.security.SecureRandom;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.stores.Store;

/**
 * The objects that all parts of a gateway use.
 *
 * @param store closed with the gateway
 * @param ticker measures the ages of lines
 */
record Environment(LiveConfig live, Store store, Background background, Ticker ticker, SecureRandom random) {}
